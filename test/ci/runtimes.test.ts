import { createRequire } from "node:module"
import { afterEach, assert, it, vi } from "vitest"

const runtimes: {
  readonly ofRuntimes: ReadonlyArray<string>
  readonly once: ReadonlyArray<string>
  readonly atNight: ReadonlyArray<string>
  readonly files: () => ReadonlyArray<string>
  readonly onKurrent: () => ReadonlyArray<string>
  readonly testsIn: (folder: string) => ReadonlyArray<string>
} = createRequire(import.meta.url)("../runtimes.cjs")
const { atNight, files, ofRuntimes, once, onKurrent, testsIn } = runtimes

afterEach(() => vi.unstubAllEnvs())

it("whatever is named for the second runtime, or left to nights, is there", () => {
  const all = testsIn("test")
  for (const part of ofRuntimes)
    assert.isTrue(
      all.some((path) => path.startsWith(part)),
      part
    )
  for (const path of [...once, ...atNight]) assert.include(all, path)
})

it("it is asked for all that stands on KurrentDB's log, which the first one is not asked for", () => {
  vi.stubEnv("CAIRN_LONG", "")
  assert.includeMembers([...onKurrent()], ["test/backup/kurrent.test.ts", "test/copy/moved.kurrent.test.ts"])
  assert.includeMembers([...files()], [...onKurrent()])
})

it("nights ask it for all that a day does, and for what is left to them", () => {
  vi.stubEnv("CAIRN_LONG", "")
  const day = files()
  vi.stubEnv("CAIRN_LONG", "1")
  assert.sameMembers([...files()], [...day, ...atNight])
})
