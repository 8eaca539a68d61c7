import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { writtenPosition } from "#src/positions.ts"
import { erase as eraseWorkspace, removeRepository, restore as restoreWorkspace } from "#src/workspaces/restore.ts"
import { reach } from "../log.ts"
import { metadata } from "../metadata.ts"
import { answer } from "../output.ts"
import { behind, idIn } from "./naming.ts"
import { commitIn, find, named, noWorkspace, onGit, pair, which } from "./which.ts"

export const restore = Command.make(
  "restore",
  {
    names: behind("commit", "commit"),
    ...pair
  },
  ({ names, ...chat }) =>
    onGit(
      Effect.gen(function* () {
        const given = { ...chat, id: idIn(names) }
        const { tenant } = yield* named(given)
        const workspace = yield* find(given)
        const commit = yield* commitIn(workspace, Option.some(names.at(-1)!))
        const restored = yield* restoreWorkspace(workspace, commit, tenant!, metadata()).pipe(
          Effect.catchTag(["WorkspaceNotFound", "WorkspaceGone"], () => noWorkspace(workspace.id))
        )
        if (restored.position !== undefined) yield* reach([Workspaces], restored.position)
        yield* answer({ success: true, commit: restored.commit }, () => [
          restored.position === undefined
            ? `${restored.commit} has these files already.`
            : `${restored.commit} has the files of ${commit.sha}.`
        ])
      })
    )
).pipe(Command.withDescription("Bring back the files of an earlier commit, as a new commit"))

export const erase = Command.make("erase", which, (given) =>
  onGit(
    Effect.gen(function* () {
      const { tenant, id } = yield* named(given)
      if (tenant === undefined) return yield* noWorkspace(id)
      const { generation, position, counts } = yield* eraseWorkspace(tenant, id, metadata()).pipe(
        Effect.catchTag(["WorkspaceNotFound", "WorkspaceGone"], () => noWorkspace(id))
      )
      yield* removeRepository(id, generation)
      yield* reach([Workspaces], position)
      const { commits, chats, files } = counts
      yield* answer({ success: true, erased: counts, position: yield* writtenPosition(position) }, () => [
        `Erased ${id}: ${commits} commits, ${chats} chats, ${files} files.`
      ])
    })
  )
).pipe(Command.withDescription("Erase a workspace for good: its files, its history and the texts of its chats"))
