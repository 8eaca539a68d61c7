import { readdirSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"

/** Who may import whom. A room is a folder; `spine` is the files directly in src/. */
const spine = ["spine", "config", "process", "engine", "domain", "ports", "projections"]
const may: Record<string, ReadonlyArray<string>> = {
  // event sourcing knows nothing of what is built on it
  engine: ["engine"],
  domain: ["domain", "engine"],
  ports: ["ports", "domain", "engine"],
  projections: ["projections", "ports", "domain", "engine"],
  infra: ["infra", "ports", "domain", "engine"],
  spine,
  config: ["config", "process", "spine", "ports", "domain", "engine"],
  process: ["process", "ports", "engine"],
  snippets: ["snippets", "usage", ...spine],
  keys: ["keys", "workspaces", ...spine],
  usage: ["usage", ...spine],
  workspaces: ["workspaces", "snippets", "usage", ...spine],
  audit: ["audit", "snippets", "workspaces", ...spine],
  api: ["api", "domain", "engine"],
  mcp: ["mcp", "api", "snippets", "workspaces", "audit", ...spine],
  http: ["http", "console", "api", "mcp", "snippets", "workspaces", "keys", "audit", "usage", ...spine],
  // what runs in a browser: a client of the API as any other
  console: ["console", "clients"],
  // asks services by the TypeScript client
  cli: ["cli", "clients", "audit", "snippets", "workspaces", "keys", "usage", ...spine]
}
/** The composition roots: they alone may name adapters, or build the whole. */
const roots = [
  "src/commandLine.ts",
  "src/copying.ts",
  "src/early.ts",
  "src/engines.ts",
  "src/process/exitCode.ts",
  "src/layers.ts",
  "src/main.ts",
  "src/repositories.ts",
  "src/searchThread.ts",
  "src/serving.ts"
]
/** What the command line runs of them. */
const ofCli = ["src/commandLine.ts", "src/copying.ts", "src/layers.ts", "src/repositories.ts"]

const root = new URL("..", import.meta.url)
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path}`)
const files = ["engine", "domain", "projections", "infra", "src"].flatMap(filesIn)
const roomOf = (path: string) => {
  const parts = path.replace(/^src\//, "").split("/")
  return parts.length === 1 ? "spine" : parts[0]!
}
const importsOf = (path: string) =>
  [...readFileSync(new URL(path, root), "utf8").matchAll(/(?:from|import\(|^import) ?"(#[^"]+|\.[^"]+)"/gm)].map(
    ([, name]) => {
      if (name!.startsWith(".")) return new URL(name!, new URL(path, "file:///")).pathname.slice(1)
      return name!.slice(1).replace(/^ports\//, "src/ports/")
    }
  )

it("imports point inward", () => {
  for (const path of files.filter((path) => !roots.includes(path))) {
    for (const target of importsOf(path)) {
      if (ofCli.includes(target) && roomOf(path) === "cli") continue
      assert.include(may[roomOf(path)]!, roomOf(target), `${path} imports ${target}`)
    }
  }
})

it("HTTP status lives in src/api, SQL in projections and infra", () => {
  for (const path of files) {
    const text = readFileSync(new URL(path, root), "utf8")
    if (/^src\/(?!api\/|http\/)/.test(path)) assert.notMatch(text, /\bstatus: \d{3}\b|httpApiStatus/, path)
    if (!/^(projections|infra)\//.test(path))
      assert.notMatch(text, /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) [a-z_]+/, path)
  }
})

it("of Effect's package for Node, only what is used is loaded: the whole brings a client for Redis, a sixth of a start", () => {
  for (const path of files) {
    const text = readFileSync(new URL(path, root), "utf8")
    assert.notMatch(text, /from "@effect\/platform-node(-shared)?"/, path)
  }
})

/** What is loaded with a file, of ours and of packages. */
const loadedWith = (path: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(path)) return seen
  seen.add(path)
  if (!path.endsWith(".ts")) return seen
  const text = readFileSync(new URL(path, root), "utf8")
  for (const [, type, name] of text.matchAll(/^(?:import|export) (type )?(?:[^"=()]*? from )?"([^"]+)"/gm)) {
    if (type !== undefined) continue
    const target = name!.startsWith(".")
      ? new URL(name!, new URL(path, "file:///")).pathname.slice(1)
      : name!.startsWith("#")
        ? name!.slice(1).replace(/^ports\//, "src/ports/")
        : name!
    loadedWith(target, seen)
  }
  return seen
}

it("a start loads little before Postgres is begun, and what few ask for when they do", () => {
  const before = [...loadedWith("src/main.ts")].filter((path) => path.endsWith(".ts"))
  assert.include(before, "infra/postgres/launcher/launcher.ts")
  assert.isBelow(before.length, 100)
  for (const room of ["projections/", "src/http/", "src/api/", "src/snippets/", "src/workspaces/", "infra/git/"])
    assert.isEmpty(before.filter((path) => path.startsWith(room)))
  const all = loadedWith("src/serving.ts")
  assert.isTrue(all.has("src/http/server.ts"))
  const packages = ["age-encryption", "openai", "just-bash", "web-tree-sitter", "@elastic/elasticsearch"]
  const few = [...packages, "@anthropic-ai/sdk", "@secretlint/core"]
  assert.isEmpty([...all].filter((name) => few.some((one) => name === one || name.startsWith(`${one}/`))))
  // the first use of either loads the runtime's tables of languages
  for (const path of all)
    if (path.endsWith(".ts"))
      assert.notMatch(readFileSync(new URL(path, root), "utf8"), /^const .*(toLocaleString|new Intl)/m, path)
})

it("the domain is pure: no clock, no randomness, no I/O", () => {
  for (const path of files.filter((path) => path.startsWith("domain/"))) {
    const text = readFileSync(new URL(path, root), "utf8")
    assert.notMatch(
      text,
      /Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes|node:(fs|http|net|child_process)/,
      path
    )
  }
})

it("the console stands on its own: a browser has its packages and the client, and the service knows its paths, and what nobody would see", () => {
  const packages = ["preact", "preact/hooks", "htm", "@preact/signals", "highlight.js"]
  for (const path of files) {
    const text = readFileSync(new URL(path, root), "utf8")
    if (path.startsWith("src/console/"))
      for (const [, name] of text.matchAll(/(?:from|import\() ?"([\w@./#-]+)"/g))
        assert.isTrue(name!.startsWith(".") || packages.includes(name!), `${path} imports ${name}`)
    else
      for (const target of importsOf(path).filter((target) => target.startsWith("src/console/")))
        assert.include(["src/console/paths.ts", "src/console/visible.ts"], target, path)
  }
})

it("of the console, nothing makes markup or code of a text", () => {
  const sinks =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|createContextualFragment/
  for (const path of files.filter((path) => path.startsWith("src/console/")))
    assert.notMatch(readFileSync(new URL(path, root), "utf8"), sinks, path)
})

/** What is no part of the service, but of the house. */
const others = ["bench", "clients/typescript/src", "test"].flatMap(filesIn)

it("no object is spread only to have its fields on one line", () => {
  for (const path of [...files, ...others]) assert.notMatch(readFileSync(new URL(path, root), "utf8"), /\.{3}\{ /, path)
})

it("a type that a room exports has a name that no other room gives to something else", () => {
  const declared = new Map<string, string>()
  for (const path of files) {
    // an adapter's words are its own, and so are the console's, which runs in browsers
    if (/^(infra|src\/console)\//.test(path)) continue
    const text = readFileSync(new URL(path, root), "utf8")
    for (const [, name] of text.matchAll(/^export (?:abstract )?(?:class|interface|type) (\w+)/gm)) {
      const other = declared.get(name!) ?? path
      assert.strictEqual(path, other, `${name} is declared by ${other} and by ${path}`)
      declared.set(name!, path)
    }
  }
  assert.isAbove(declared.size, 500)
})

it("no file imports itself, by whatever way round", () => {
  const all = [...files, ...others]
  const known = new Map(all.map((path) => [path, importsOf(path)]))
  const done = new Set<string>()
  const visit = (path: string, way: ReadonlyArray<string>): void => {
    assert.notInclude(way, path, [...way.slice(way.indexOf(path)), path].join(" → "))
    if (done.has(path)) return
    for (const target of known.get(path) ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of all) visit(path, [])
})
