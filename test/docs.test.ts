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

/** Where nothing is ours to wrap: installed or made. */
const made = /(^|\/)(node_modules|dist|reference|\.venv|\.cache|__pycache__|data)(\/|$)|^docs\/(events|coverage)\.md$/
const withComments = ["engine", "domain", "projections", "infra", "src", "test", "bench", "docs", "clients"]
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
  const sources = withComments.flatMap((folder) => filesIn(folder, /\.ts$/)).concat("start.cjs", "vitest.config.ts")
  assert.isAbove(sources.length, 1_000)
  const isComment = (line: string) => /^\s*(\/\/(?! biome-ignore )|\/\*|\*)/.test(line)
  assert.deepStrictEqual(
    sources.flatMap((path) => wide(path, isComment)),
    []
  )
})
