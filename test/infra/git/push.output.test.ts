import { execFileSync } from "node:child_process"
import fs from "node:fs"
import { afterAll, assert, describe, it } from "vitest"
import { linesOf } from "#infra/git/push/files.ts"
import { Quarantine } from "#infra/git/push/Quarantine.ts"
import { PushRefused } from "#ports/PushIntake.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

describe.skipIf(process.platform !== "linux")("what git says of a push", () => {
  /** A git that says so many bytes, fewer than a pipe holds, and so ends well before anybody has read them. */
  const saying = (bytes: number) => {
    const program = `${directory}/git-${bytes}`
    fs.writeFileSync(program, `#!/bin/sh\nhead -c ${bytes} /dev/zero\necho $$ > said\n`, { mode: 0o755 })
    return { program }
  }
  const untilEnded =
    'until [ -s said ]; do sleep 0.01; done; while grep -q "^State:.[^Z]" "/proc/$(cat said)/status"; do sleep 0.01; done; rm said'

  it("is taken whole, or not at all, also when git has ended before it could be stopped", async () => {
    for (const [bytes, most] of [
      [10_000, 10_000],
      [10_001, 10_000],
      [60_000, 10_000]
    ] as const) {
      const quarantine = new Quarantine(saying(bytes), directory, directory, 60, most)
      const said = quarantine.need([], new AbortController().signal, "it says too much")
      // nothing is read meanwhile
      execFileSync("/bin/sh", ["-c", untilEnded], { cwd: directory })
      const outcome = await said.then(
        (out) => out.length,
        (error) => (error instanceof PushRefused ? error.reason : error)
      )
      assert.strictEqual(outcome, bytes <= most ? bytes : "it says too much")
      await quarantine.remove()
    }
  })

  it("has no line without an end", () => {
    assert.deepStrictEqual(
      [...linesOf(Buffer.from("one\0two\0"))].map((line) => line.toString()),
      ["one", "two"]
    )
    assert.throws(() => {
      // endless, if it were read on
      let lines = 0
      for (const _ of linesOf(Buffer.from("one\0tw"))) if (++lines > 2) break
    }, "within a line")
  })
})
