import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"

const root = join(import.meta.dirname, "..")
const runtimeArgs = "deno" in process.versions ? ["run", "-A"] : []

describe("a fiber that never ends", () => {
  it("holds nothing of the steps that it has gone", async () => {
    const args = [...runtimeArgs, join(root, "test/fiberSteps.ts")]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
    // it was 440 bytes a step
    assert.isBelow(Number(stdout), 20)
  })

  it("is one of the service's, and of the command line that follows the log: that is what they load first", () => {
    const firstOf = (path: string) => readFileSync(join(root, path), "utf8").split("\n")[0]
    assert.strictEqual(firstOf("src/main.ts"), 'import "./effectAlone.ts"')
    assert.strictEqual(firstOf("src/cli/main.ts"), 'import "../effectAlone.ts"')
  })
})
