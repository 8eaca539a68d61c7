import { readFileSync } from "node:fs"

const page = readFileSync(new URL("../node_modules/raysurfer/README.md", import.meta.url), "utf8")

/** The TypeScript of each heading of the published package's page. */
export const programs: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  page
    .split(/^#{2,} /m)
    .slice(1)
    .map((part): [string, ReadonlyArray<string>] => [
      part.slice(0, part.indexOf("\n")),
      [...part.matchAll(/^```typescript\n(.*?)^```/gms)].map(([, program]) => program!)
    ])
    .filter(([, found]) => found.length > 0)
)

/** Those that need a service only. */
export const run: ReadonlyArray<string> = [
  "Complete Example",
  "Client Options",
  "Store a Code Block with Full Metadata",
  "Retrieve Few-Shot Examples",
  "Retrieve Task Patterns",
  "User-Provided Votes",
  "Exceptions"
]

/** Those that start an agent: they are compiled here, and sessions are run by the tests of `clients/typescript`. */
export const compiled: ReadonlyArray<string> = [
  "Claude Agent SDK Drop-in",
  "Class-based API",
  "System Prompt Preset",
  "Query Control Methods",
  "Snippet Retrieval Scope",
  "Public Snippets"
]

/** Those that import names of the agent SDK, too: `cairn-client/compat/agent`. */
export const namesOfTheSdk: ReadonlyArray<string> = ["Claude Agent SDK Drop-in"]

/** What the page leaves to its reader. */
const before = `
const client = new RaySurfer({ apiKey: "your_api_key" })
const file = { path: "app.ts", content: "export const app = (): string => 'app'\\n" }
const files = [file, { path: "utils.ts", content: "export const twice = (n: number): number => 2 * n\\n" }]
const logs = [{ path: "run.log", content: "fine" }]
`

/**
 * A program as its user changes it: the import, and the key with the base URL. The names that it does not import are
 * added.
 */
export const moved = (program: string, module: string, settings: string): string => {
  // "Before" shows what to change; "after" is the program
  const after = program.split(/^\/\/ After$/m).at(-1)!
  const imported = [...after.matchAll(/^import \{(.*?)\} from "raysurfer"/gms)].flatMap(([, names]) =>
    names!.split(",").map((name) => name.trim())
  )
  const own = ["RaySurfer", "ClaudeSDKClient", "query"]
  const missing = own.filter((name) => new RegExp(`\\b${name}\\(`).test(after) && !imported.includes(name))
  const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(after)
  const reader = ["client", "file", "files", "logs"].some((name) => uses(name) && !after.includes(`const ${name} =`))
  const prelude = reader && !after.includes("const client =") ? before : ""
  const names = [...new Set([...missing, ...(prelude === "" ? [] : ["RaySurfer"])])].filter(
    (n) => !imported.includes(n)
  )
  return [
    names.length === 0 ? "" : `import { ${names.join(", ")} } from "raysurfer"\n`,
    prelude,
    after,
    "\nexport {}\n"
  ]
    .join("")
    .replaceAll('from "raysurfer"', `from ${JSON.stringify(module)}`)
    .replace(/\n +baseUrl: "[^"]*",.*/g, "")
    .replaceAll(/apiKey: "[^"]*"/g, settings)
}
