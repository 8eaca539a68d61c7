import { assert, beforeEach, describe, it, vi } from "vitest"
import type { TestModule, Vitest } from "vitest/node"
import Skips from "#test/skips.ts"

/** What is said of a run in which these files left out a test, and whether that run fails. */
const left = (environment: string | undefined, files: ReadonlyArray<string>, testNamePattern?: RegExp) => {
  vi.stubEnv("CI", environment)
  const said = vi.spyOn(console, "log").mockImplementation(() => {})
  const before = process.exitCode
  process.exitCode = undefined
  const reporter = new Skips()
  reporter.onInit({ config: { testNamePattern } } as unknown as Vitest)
  const modules = files.map((moduleId) => ({
    moduleId,
    children: { allTests: () => [{ fullName: `a test of ${moduleId}` }] }
  }))
  reporter.onTestRunEnd(modules as unknown as ReadonlyArray<TestModule>)
  const fails = process.exitCode !== undefined
  process.exitCode = before
  const lines = said.mock.calls.flat().join("\n")
  said.mockRestore()
  return { fails, said: lines }
}

/** Left out everywhere but where a KurrentDB is named; and where there is no git, which CI has. */
const nowhere = "test/infra/kurrent/node.test.ts"
const git = "test/infra/git/objects.test.ts"

describe("tests that were left out", () => {
  beforeEach(() => vi.stubEnv("KURRENTDB_TEST_URL", undefined))

  it("for no reason that is known fail the run, by their names, and those with one do not", () => {
    const { fails, said } = left(undefined, [nowhere])
    assert.isFalse(fails)
    assert.match(said, /skipped +1 of test\/infra\/kurrent\/node\.test\.ts: no KurrentDB node/)
    for (const environment of [undefined, "true"]) {
      const unknown = left(environment, [nowhere, "test/domain/search/rank.test.ts"])
      assert.isTrue(unknown.fails)
      assert.match(unknown.said, /rank\.test\.ts: for no reason .* NOT EXPECTED\n +a test of test\/domain/)
    }
  })

  it("where others are for another reason than the one that is so, fail the run", () => {
    vi.stubEnv("KURRENTDB_TEST_URL", "kurrentdb://localhost")
    assert.isTrue(left(undefined, [nowhere]).fails)
  })

  it("for what CI has fail it there, and nobody at home", () => {
    vi.stubEnv("PATH", "")
    assert.isFalse(left(undefined, [git]).fails)
    const { fails, said } = left("true", [git])
    assert.isTrue(fails)
    assert.match(said, /there is no git here — NOT EXPECTED/)
  })

  it("by who picks tests by name are nobody's business", () => {
    assert.deepStrictEqual(left("true", ["test/domain/search/rank.test.ts"], /one/), { fails: false, said: "" })
  })
})
