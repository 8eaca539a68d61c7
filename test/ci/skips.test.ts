import { assert, beforeEach, describe, it, vi } from "vitest"
import type { TestModule, Vitest } from "vitest/node"
import Skips from "#test/skips.ts"

/** A file that left out this test, and ran so many others. */
interface Left {
  readonly file: string
  readonly test: string
  readonly others: number
}
const all = (file: string): Left => ({ file, test: `a test of ${file}`, others: 0 })

/** What is said of a run in which these left out a test, and whether that run fails. */
const left = (
  environment: string | undefined,
  files: ReadonlyArray<Left>,
  testNamePattern?: RegExp,
  project: ReadonlyArray<string> = []
) => {
  vi.stubEnv("CI", environment)
  const said = vi.spyOn(console, "log").mockImplementation(() => {})
  const before = process.exitCode
  process.exitCode = undefined
  const reporter = new Skips()
  reporter.onInit({ config: { testNamePattern, project } } as unknown as Vitest)
  const modules = files.map(({ file, test, others }) => ({
    moduleId: file,
    children: {
      allTests: (state?: string) => [
        { fullName: test },
        ...(state === "skipped" ? [] : Array.from({ length: others }, () => ({ fullName: "another" })))
      ]
    }
  }))
  reporter.onTestRunEnd(modules as unknown as ReadonlyArray<TestModule>)
  const fails = process.exitCode !== undefined
  process.exitCode = before
  const lines = said.mock.calls.flat().join("\n")
  said.mockRestore()
  return { fails, said: lines }
}

/** Left out everywhere but where a KurrentDB is named; and where there is no git, which CI has. */
const nowhere = all("test/infra/kurrent/node.test.ts")
const git = all("test/infra/git/pack.test.ts")

describe("tests that were left out", () => {
  beforeEach(() => vi.stubEnv("KURRENTDB_TEST_URL", undefined))

  it("for no reason that is known fail the run, by their names, and those with one do not", () => {
    const { fails, said } = left(undefined, [nowhere])
    assert.isFalse(fails)
    assert.match(said, /skipped +1 of test\/infra\/kurrent\/node\.test\.ts: no KurrentDB node/)
    for (const environment of [undefined, "true"]) {
      const unknown = left(environment, [nowhere, all("test/domain/search/rank.test.ts")])
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

  it("in a file of which others ran fail the run, unless they are among those that may be", () => {
    vi.stubEnv("PATH", "")
    assert.isTrue(left(undefined, [{ ...nowhere, others: 1 }]).fails)
    const partly = { file: "test/http/archives.test.ts", others: 3 }
    const that = { ...partly, test: "an archive > that git made is unpacked as git has it: tar" }
    assert.isFalse(left(undefined, [that]).fails)
    const { fails, said } = left(undefined, [{ ...partly, test: "an archive > that is a zip does so too" }])
    assert.isTrue(fails)
    assert.match(said, /for no reason .* NOT EXPECTED\n +an archive > that is a zip does so too/)
  })

  it("to another command are named with it", () => {
    const { fails, said } = left("true", [], undefined, ["!kurrent", "!browser", "!alone"])
    assert.isFalse(fails)
    assert.match(said, /not asked: .*KurrentDB.*`npm run test:node`\n not asked: .*browser: `npm run test:console`\n$/)
  })

  it("by who picks tests by name are nobody's business", () => {
    assert.deepStrictEqual(left("true", [all("test/domain/search/rank.test.ts")], /one/), { fails: false, said: "" })
  })
})
