import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, it } from "vitest"

const program = fileURLToPath(new URL("../../.ci/failed", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "cairn-ci-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** What it says of lanes with these logs. */
const said = (logs: Record<string, string>): ReadonlyArray<string> => {
  const paths = Object.entries(logs).map(([lane, log]) => {
    const path = join(folder, `${lane}.log`)
    writeFileSync(path, log)
    return path
  })
  return execFileSync(program, paths, { encoding: "utf8" }).trimEnd().split("\n")
}

const fail = (name: string) => `\u001b[41m FAIL \u001b[49m \u001b[30m\u001b[46m together \u001b[49m\u001b[39m ${name}\n`

it("names a step that failed, and its tests that did, each once with its first error", () => {
  const python_client = [
    "\n=== python_client\ntests/test_a.py ..F\n",
    "FAILED tests/test_a.py::test_one[sync] - AssertionError: assert 1 == 2\n",
    "ERROR tests/test_b.py::test_two - OSError\n",
    "FAILED tests/test_a.py::test_one[sync] - AssertionError: assert 1 == 2\n"
  ].join("")
  const tests = `\n=== tests\n${fail("test/a.test.ts > says a - b (initial run)")}AssertionError: no\n\n- one\n+ two\n\n ❯ test/a.test.ts:3:9\n ❯ call test/b.ts:1:2\n${fail("test/a.test.ts > says a - b (1st retry)")}TypeError: other\n`
  assert.deepStrictEqual(said({ tests, python_client }), [
    "failed: tests",
    "  FAIL together test/a.test.ts > says a - b",
    "    test/a.test.ts:3:9: AssertionError: no",
    "failed: python_client",
    "  FAILED tests/test_a.py::test_one[sync]",
    "    AssertionError: assert 1 == 2",
    "  ERROR tests/test_b.py::test_two",
    "    OSError"
  ])
})

it("names the step alone where no test is named, as of types that don't fit", () => {
  const checks = "\n=== checks\nsrc/a.ts(1,1): error TS1: no\n"
  assert.deepStrictEqual(said({ checks }), ["failed: checks"])
})

it("is thirty short lines at most, and says where the others are", () => {
  const many = `\n=== tests\n${Array.from({ length: 99 }, (_, n) => fail(`test/${n} > ${"x".repeat(500)}`)).join("")}`
  const lines = said({ tests: many, clients: many, runtimes: many })
  assert.isAtMost(lines.length, 30)
  for (const line of lines) assert.isAtMost(line.length, 200)
  assert.strictEqual(lines.filter((line) => /^ {2}and \d+ more: \S+\.log$/.test(line)).length, 3)
})
