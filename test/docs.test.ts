import { existsSync, readdirSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { eventSchemas } from "#domain/events.ts"
import { render } from "../docs/events.ts"

it("docs/events.md says what the code does: else run docs/events.ts", () => {
  assert.strictEqual(readFileSync(new URL("../docs/events.md", import.meta.url), "utf8"), render())
})

it("docs/events.md names files that are there, and says of each event where it comes from", () => {
  const page = render()
  const files = [...new Set([...page.matchAll(/`(domain\/[^`]*)`/g)].map(([, file]) => file!))]
  assert.includeMembers(files, ["domain/Snippet/decider.ts", "domain/Execution.ts", "domain/Chat.ts"])
  for (const file of files) assert.isTrue(existsSync(new URL(`../${file}`, import.meta.url)), file)
  const told = page.slice(page.indexOf("## Event → read models"))
  for (const type of Object.keys(eventSchemas)) assert.include(told, `| \`${type}\` `)
})

/** Pages that tell how things are now; coverage.md has a test of its own. */
const rooms = ["engine/README.md", "domain/README.md", "infra/README.md"]
const pages = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "skill.md", ...rooms].concat(
  readdirSync(new URL("../docs", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && name !== "coverage.md")
    .map((name) => `docs/${name}`)
)

/** Whether there is a path, or one that begins so: a page may leave out how a file's name ends. */
const isThere = (path: string): boolean => {
  const cut = path.lastIndexOf("/")
  const folder = new URL(`../${path.slice(0, cut)}/`, import.meta.url)
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(path.slice(cut + 1)))
}

it("every page names files and folders that are there", () => {
  const named = /(?<![\w/.])(?:engine|domain|projections|src|infra|test|clients|bench|docs|\.ci)\/[\w./-]*[\w/]/g
  let count = 0
  for (const page of pages) {
    const text = readFileSync(new URL(`../${page}`, import.meta.url), "utf8")
    for (const [name] of text.matchAll(named)) {
      // X stands for any
      if (/\bX\b/.test(name)) continue
      assert.isTrue(isThere(name), `${page} names ${name}`)
      count += 1
    }
  }
  assert.isAbove(count, 100)
})

/** Where nothing is ours to wrap: installed or made. */
const made = /(^|\/)(node_modules|dist|reference|\.venv|\.cache|__pycache__|data)(\/|$)|^docs\/(events|coverage)\.md$/
const withComments = ["engine", "domain", "projections", "infra", "src", "test", "bench", "docs", "clients"]
const sourcesIn = (folder: string) =>
  readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !made.test(name))
    .map((name) => `${folder}/${name}`)
const comment = /^\s*(?:\/\/|\/\*|\*)/

it("pages and comments name sources, decisions and scripts that are there", () => {
  const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")
  const sources = withComments.flatMap(sourcesIn).concat("build.ts", "vitest.config.ts")
  const ends = new Set(sources.flatMap((path) => path.split("/").map((_, at, parts) => parts.slice(at).join("/"))))
  const decisions = readdirSync(new URL("../docs/decisions", import.meta.url)).map((name) => Number(name.slice(0, 4)))
  const scripts = Object.keys(JSON.parse(text("package.json")).scripts)
  const counts = { sources: 0, decisions: 0, scripts: 0 }
  const look = (path: string, said: string) => {
    for (const [, name] of said.matchAll(/(?<![\w./-])((?:[\w-]+\/)*[\w.-]+\.ts)\b/g)) {
      if (/(^|\/)X\.ts$/.test(name!)) continue
      assert.isTrue(ends.has(name!), `${path} names ${name}`)
      counts.sources += 1
    }
    for (const [, number] of said.matchAll(/\bdecisions? (\d+)/gi)) {
      assert.include(decisions, Number(number), `${path} names decision ${number}`)
      counts.decisions += 1
    }
    for (const [, name] of said.matchAll(/\bnpm run (?:-s )?([a-z][\w:]*)(?! --prefix| -w)/g)) {
      assert.include(scripts, name, `${path} names npm run ${name}`)
      counts.scripts += 1
    }
  }
  for (const page of pages) look(page, text(page))
  for (const source of sources) for (const line of text(source).split("\n")) if (comment.test(line)) look(source, line)
  for (const count of Object.values(counts)) assert.isAbove(count, 50)
})

const foldersIn = (folder: string) =>
  readdirSync(new URL(`../${folder}`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

it("every room has a sentence that says what it is for, and every file of the engine", () => {
  const page = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")
  const engine = readdirSync(new URL("../engine", import.meta.url)).filter((name) => name.endsWith(".ts"))
  for (const name of engine) assert.include(page("engine/README.md"), `\`${name}\``)
  for (const name of foldersIn("src")) assert.include(page("README.md"), `| \`src/${name}/\` `, "README.md")
  for (const room of ["domain", "infra"])
    for (const name of foldersIn(room)) assert.include(page(`${room}/README.md`), `| \`${name}/\` `)
})

const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true, encoding: "utf8" })
    .map((name) => (folder === "." ? name : `${folder}/${name}`))
    .filter((path) => ending.test(path) && !made.test(path))
/** Lines of a text with their numbers, as they are shown when they are too wide. */
const wide = (path: string, counts: (line: string) => boolean) => {
  let fenced = false
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
      return line.length > 120 && !fenced && counts(line) ? [`${path}:${index + 1}`] : []
    })
}

it("pages are no wider than code, but for tables and what is quoted", () => {
  const texts = [...pages, ...["clients", "test"].flatMap((folder) => filesIn(folder, /\.md$/))]
  assert.isAbove(texts.length, 100)
  const found = texts.filter((path) => !made.test(path)).flatMap((path) => wide(path, (line) => !/^\s*[|>]/.test(line)))
  assert.deepStrictEqual(found, [])
})

it("comments are no wider than code", () => {
  const sources = withComments
    .flatMap((folder) => filesIn(folder, /\.ts$/))
    .concat("start.cjs", "builds.cjs", "build.ts", "vitest.config.ts")
  assert.isAbove(sources.length, 1_000)
  const settings = [".ci/engines", ".ci/failed", ".ci/elasticsearch", "Dockerfile", "compose.yaml"].concat(
    filesIn("deploy", /\.(conf|service|ya?ml)$/)
  )
  const isComment = (line: string) => /^\s*(\/\/(?! biome-ignore )|\/\*|\*)/.test(line)
  const isRemark = (line: string) => /^\s*#/.test(line)
  assert.deepStrictEqual(
    [...sources.flatMap((path) => wide(path, isComment)), ...settings.flatMap((path) => wide(path, isRemark))],
    []
  )
})
