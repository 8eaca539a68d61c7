import fs from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findGit } from "#infra/git/native/git.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { git, noGit, temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

/** A git that does what is in the file of a command's name instead, as long as that file is there. */
const failing = () => {
  const program = `${directory}/git`
  const script = [
    "#!/bin/sh",
    `for command in repack prune; do`,
    `  case " $* " in *" $command "*) [ -e ${directory}/$command ] && . ${directory}/$command;; esac`,
    "done",
    `exec ${findGit()?.program} "$@"`
  ]
  fs.writeFileSync(program, script.join("\n"), { mode: 0o755 })
  return { program }
}

/** A repository of so many loose objects that they are packed. */
const filled = Effect.fnUntraced(function* (id: string) {
  yield* (yield* WorkspaceStore).open(id, undefined)
  const data = (text: string) => `data ${text.length}\n${text}\n`
  const files = Array.from({ length: 600 }, (_, n) => `M 100644 inline ${n}.txt\n${data(`file ${n}`)}`)
  const history = `commit refs/heads/main\ncommitter a <a@cairn> 0 +0000\n${data("m")}${files.join("")}`
  git(`${directory}/${id}.git`, ["-c", "fastimport.unpackLimit=1000000", "fast-import", "--quiet"], history)
})

describe.skipIf(noGit || process.platform === "win32")("packing", () => {
  it.live("that git fails at is told, and tried again", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      yield* filled("failed")
      const folder = `${directory}/failed.git/objects/pack`
      const packs = () => fs.readdirSync(folder).filter((name) => name.endsWith(".pack"))
      const pack = workspaces.pack("failed", { prune: true })
      const instead = (command: string, script: string) => fs.writeFileSync(`${directory}/${command}`, script)

      instead("repack", "echo 'error: unable to write file: No space left on device' >&2; exit 128")
      const full = yield* Effect.flip(pack)
      assert.deepStrictEqual([full._tag, full.code], ["WorkspacesUnavailable", "ENOSPC"])
      instead("repack", "echo 'fatal: of something else' >&2; exit 128")
      assert.strictEqual((yield* Effect.flip(pack)).message, "git repack failed (exit code 128)")
      assert.lengthOf(packs(), 0)

      // what the last time left is still what counts: nothing was packed
      fs.rmSync(`${directory}/repack`)
      instead("prune", "kill -9 $$")
      assert.strictEqual((yield* Effect.flip(pack)).message, "git prune failed (SIGKILL)")
      assert.lengthOf(packs(), 1)
      fs.rmSync(`${directory}/prune`)
      yield* pack
    }).pipe(Effect.provide(layer({ directory, git: failing() })))
  )

  it.live("of a repository that is erased meanwhile is no fault", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      yield* filled("erased")
      fs.writeFileSync(`${directory}/repack`, `rm -r ${directory}/erased.git; exit 128`)
      yield* workspaces.pack("erased", { prune: true })
      assert.isFalse(fs.existsSync(`${directory}/erased.git`))
    }).pipe(Effect.provide(layer({ directory, git: failing() })))
  )
})
