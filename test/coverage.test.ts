import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const at = (path: string) => new URL(`../${path}`, import.meta.url)
const page = readFileSync(at("docs/coverage.md"), "utf8")

interface Row {
  readonly section: string
  readonly what: string
  readonly shown: ReadonlyArray<string>
}

const rows: ReadonlyArray<Row> = page.split(/^## /m).flatMap((part) => {
  const section = part.slice(0, part.indexOf("\n"))
  return [...part.matchAll(/^\|(?! what | ?-)(.+)\|$/gm)].map(([, row]) => {
    const [what = "", shown = ""] = row!.split(/(?<!\\)\|/).map((cell) => cell.trim())
    return { section, what, shown: shown === "" ? [] : shown.split("<br>").map((one) => one.trim()) }
  })
})

/** Of test/, or of one of the clients, whose folders have tests of their own. */
const fileOf = (file: string): URL | undefined => [`test/${file}`, file].map(at).find((one) => existsSync(one))

/**
 * The names that a test file gives to its tests; that of `it.each(…)("…")` is a pattern, and so is a text of several
 * parts. In Python they are the functions.
 */
const testsIn = (file: URL): ReadonlySet<string> => {
  const text = readFileSync(file, "utf8")
  const calls = file.pathname.endsWith(".py")
    ? [/^(?:async )?def (test_\w+)\(/gm]
    : [/\b(?:it|effect|live|prop|test)\(\s*"((?:[^"\\]|\\.)*)"/g, /\)\(\s*"((?:[^"\\]|\\.)*)"/g, /\bit\(\s*`([^`]*)`/g]
  return new Set(calls.flatMap((call) => [...text.matchAll(call)].map(([, name]) => name!)))
}

const shownBy = /^`(.+?)` (.+)$/

describe("docs/coverage.md", () => {
  it("has no row without a test, and no test that is not there", () => {
    assert.isAbove(rows.length, 200)
    for (const { section, what, shown } of rows) {
      assert.isNotEmpty(shown, `${section}: nothing shows ${what}`)
      for (const reference of shown) {
        const [, file, name] = shownBy.exec(reference) ?? []
        assert.isDefined(name, `${section}, ${what}: ${reference} is no \`file\` test`)
        const there = fileOf(file!)
        assert.isDefined(there, `${section}, ${what}: there is no test/${file}, and no ${file}`)
        assert.isTrue(testsIn(there!).has(name!), `${section}, ${what}: ${file} has no test "${name}"`)
      }
    }
  })

  const specification = at("../shared/specification.md")
  it.skipIf(!existsSync(specification))("has a row for every row and rule of the specification", () => {
    const sections = readFileSync(specification, "utf8").split(/^#{2,4} /m)
    for (const part of sections.slice(1)) {
      const heading = part.slice(0, part.indexOf("\n")).replace(/ \(.*| `.*|: .*/, "")
      const lines = part.split("\n").filter((line) => /^\||^\d+\. /.test(line))
      const own = lines.filter((line, index) => {
        if (!line.startsWith("|")) return true
        return !/^\|[-| ]+\|$/.test(line) && !/^\|[-| ]+\|$/.test(lines[index + 1] ?? "")
      })
      const ours = rows.filter(({ section }) => section.startsWith(heading))
      assert.isAtLeast(ours.length, own.length, `rows of "${heading}"`)
      for (const line of own.filter((line) => line.startsWith("|"))) {
        const [name] = /`([^`]+)`/.exec(line)?.slice(1) ?? [line.split("|")[1]!.trim()]
        assert.isTrue(
          ours.some(({ what }) => what.includes(name!)),
          `"${heading}" has no row about ${name}`
        )
      }
    }
  })
})
