import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { build } from "../../build.ts"

const root = join(import.meta.dirname, "..", "..")
const runtimeArgs = "deno" in process.versions ? ["run", "-A"] : []

const heldBy = async (program: string) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...runtimeArgs, program], { cwd: root })
  return Number(stdout)
}

describe("a fiber that never ends", () => {
  it("holds nothing of the steps that it has gone", async () => {
    // it was 440 bytes a step
    assert.isBelow(await heldBy(join(root, "test/fiberSteps.ts")), 20)
  })

  it("holds nothing of them in a build", async () => {
    mkdirSync(join(root, ".cache"), { recursive: true })
    const folder = mkdtempSync(join(root, ".cache/steps-"))
    try {
      // what has Effect, too, without that: they share a file of it
      await build(join(folder, "build"), { steps: "test/fiberSteps.ts", beside: "engine/example.ts" })
      assert.isBelow(await heldBy(join(folder, "build/steps.mjs")), 20)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("is one of the service's, and of the command line that follows the log: that is what they load first", () => {
    const firstOf = (path: string) => readFileSync(join(root, path), "utf8").split("\n")[0]
    assert.strictEqual(firstOf("src/main.ts"), 'import "./process/effectAlone.ts"')
    assert.strictEqual(firstOf("src/cli/main.ts"), 'import "../process/effectAlone.ts"')
  })
})
