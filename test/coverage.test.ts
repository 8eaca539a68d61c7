import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import specification from "./specification.json" with { type: "json" }

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

  it("has a row for every row and rule of the specification", () => {
    for (const [section, { names, rules }] of Object.entries(specification)) {
      const ours = rows.filter((row) => row.section.replace(/ \(.*| `.*|: .*/, "") === section)
      assert.isAtLeast(ours.length, names.length + rules, `rows of "${section}"`)
      for (const name of names) {
        assert.isTrue(
          ours.some(({ what }) => what.includes(name)),
          `"${section}" has no row about ${name}`
        )
      }
    }
  })
})
