import fs from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { onDisk } from "#infra/git/fault.ts"
import { MissingObject, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))
fs.mkdirSync(`${directory}/objects`)

const outcome = (error: unknown, gitdir = directory) =>
  Effect.runPromiseExit(onDisk(gitdir, () => Promise.reject(error)))

const system = (code: string) => Object.assign(new Error(`${code}: of the system`), { code, syscall: "open" })

describe("a fault of the workspaces' disk", () => {
  for (const code of ["ENOENT", "ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE", "EDQUOT", "ESTALE"]) {
    it(`${code} passes, and is told without a path`, async () => {
      const exit = await outcome(system(code))
      assert.isTrue(Exit.isFailure(exit))
      const error = Cause.squash((exit as Exit.Failure<never, WorkspacesUnavailable>).cause)
      assert.instanceOf(error, WorkspacesUnavailable)
      assert.include((error as WorkspacesUnavailable).message, code)
      assert.notInclude((error as WorkspacesUnavailable).message, directory)
    })
  }

  it("is what a repository lacks that is not there; one that is there has lost it", async () => {
    const away = await outcome(new MissingObject("no tree"), `${directory}/elsewhere`)
    assert.isTrue(Exit.isFailure(away) && Cause.hasFails(away.cause))
    const lost = await outcome(new MissingObject("no tree"))
    assert.isTrue(Exit.isFailure(lost) && Cause.hasDies(lost.cause))
  })

  it("is nothing that is wrong in itself", async () => {
    for (const error of [system("EINVAL"), system("EISDIR"), new TypeError("x"), system("Z_DATA_ERROR")]) {
      const exit = await outcome(error)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }
  })
})
