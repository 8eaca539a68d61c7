import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const root = new URL("..", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), "utf8")

interface Hop {
  readonly file: string
  readonly name: string
}

/** The flows of the page, by their headings. */
const flows = new Map(
  read("docs/flows.md")
    .split("\n## ")
    .slice(1)
    .map((section): [string, ReadonlyArray<Hop>] => [
      section.slice(0, section.indexOf("\n")),
      [...section.matchAll(/^\| \d+ +\| `([^`]+)` +\| `([^`]+)` +\|/gm)].map(([, file, name]) => ({
        file: file!,
        name: name!
      }))
    ])
)

/** The files that a file imports, by their paths from the root. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...read(file).matchAll(/from "(#[^"]+|\.[^"]+)"/g)].map(([, name]) =>
    name!.startsWith(".")
      ? new URL(name!, new URL(file, "file:///")).pathname.slice(1)
      : name!.slice(1).replace(/^ports\//, "src/ports/")
  )

/** A port, which ties two files that do not import each other; how much one page holds ties nobody. */
const isPort = (file: string) => /^(engine|src)\/ports\/[A-Z]/.test(file) && file !== "engine/ports/Bounds.ts"

/** Whether the flow can come from one file to the other by a call: straight, or through a port. */
const leads = (from: string, to: string): boolean => {
  const imports = importsOf(from)
  return imports.includes(to) || importsOf(to).some((file) => isPort(file) && imports.includes(file))
}

/** Nobody calls it: it reads what was written to the port that it stands on. */
const followsByItself = "engine/project.ts"

describe("docs/flows.md", () => {
  it("walks an upload, a search and a chat", () => {
    assert.deepStrictEqual([...flows.keys()], ["An upload, from its handler to its row", "A search", "A chat"])
    for (const [flow, hops] of flows) assert.isAtLeast(hops.length, 8, flow)
  })

  it("names files that are there and declare what it names, each called by one before it", () => {
    for (const [flow, hops] of flows) {
      hops.forEach(({ file, name }, at) => {
        assert.isTrue(existsSync(new URL(file, root)), `${flow}: ${file}`)
        const declared = `(?:const|function\\*?|class) ${name}\\b|^ +${name}(?::|,$)`
        assert.match(read(file), new RegExp(declared, "m"), `${flow}: ${file} has no ${name}`)
        if (at === 0) return
        const before = hops.slice(0, at)
        assert.isTrue(
          before.some((one) => leads(one.file, file)),
          `${flow}: nobody leads to ${file}`
        )
        const names = new RegExp(`\\b${name}\\b`)
        const called = file === followsByItself || before.some((one) => names.test(read(one.file)))
        assert.isTrue(called, `${flow}: nobody before names ${name} of ${file}`)
      })
    }
  })

  it("has an upload go through nine files at most from its handler to its row, five of them its own", () => {
    const hops = flows.get("An upload, from its handler to its row")!
    assert.isAtMost(hops.length, 9)
    assert.isAtMost(hops.filter(({ file }) => !/^(engine|infra)\//.test(file)).length, 5)
  })
})
