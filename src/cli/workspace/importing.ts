import { basename } from "node:path"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Archives } from "#ports/Archives.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { archives } from "#src/layers.ts"
import { told } from "#src/usage/bounds.ts"
import { archiveBounds, lookThrough } from "#src/workspaces/archived.ts"
import { changeFiles } from "#src/workspaces/change.ts"
import { openWorkspace } from "#src/workspaces/open.ts"
import { putEntries } from "#src/workspaces/unpack.ts"
import { Failed } from "../failure.ts"
import { reach } from "../log.ts"
import { metadata } from "../metadata.ts"
import { organizationOf } from "../organization.ts"
import { answer, plain } from "../output.ts"
import * as naming from "./naming.ts"
import { checkPath, importFlags, refusalOf, sourceOf } from "./source.ts"
import { find, named, noWorkspace, onGit, pair } from "./which.ts"

/** The entries of a folder or an archive, read anew each time, and how many bytes there may be of them. */
const entriesIn = Effect.fnUntraced(function* (source: string) {
  const { entries, archive } = yield* sourceOf(source)
  if (entries !== undefined) return { entries }
  const read = yield* Effect.provide(Archives, archives)
  return { entries: read.entries(archive, archiveBounds), most: archiveBounds.bytes }
})

const refusals = ["PathRefused", "FileError", "WorkspaceFull"] as const

export const importing = Command.make(
  "import",
  {
    ...importFlags,
    ...pair
  },
  ({ names, path, replace, ...chat }) =>
    onGit(
      Effect.gen(function* () {
        const source = names.at(-1)!
        const given = { ...chat, id: naming.idIn(names) }
        // before the pair's workspace is made
        const meant = yield* naming.given(given)
        yield* checkPath(path)
        const { entries, ...bounds } = yield* entriesIn(source)
        if (typeof meant !== "string") {
          yield* lookThrough(entries, path)
          const { id: tenant } = yield* organizationOf(chat.org)
          const { position } = yield* openWorkspace(tenant, meant, metadata())
          if (position !== undefined) yield* reach([Workspaces], position)
        }
        const { tenant } = yield* named(given)
        const workspace = yield* find(given)
        const subject = `Import ${basename(source)}${path === "" ? "" : ` into ${path}`}`
        const asked = { how: "archive", subject, edit: putEntries(entries, path, replace), ...bounds } as const
        const { commit, created, modified, deleted, position } = yield* changeFiles(
          workspace,
          asked,
          tenant!,
          metadata()
        ).pipe(Effect.catchTag(["WorkspaceNotFound", "WorkspaceGone"], () => noWorkspace(workspace.id)))
        if (position !== undefined) yield* reach([Workspaces], position)
        yield* answer({ success: true, workspace_id: workspace.id, commit, created, modified, deleted }, () => [
          `${commit}: ${created} created, ${modified} modified, ${deleted} deleted in ${workspace.id}.`
        ])
      }).pipe(
        Effect.catchTag("StorageBoundReached", (refusal) => Effect.fail(new Failed({ message: told(refusal) }))),
        Effect.catchTag("ArchiveRefused", (error) => Effect.fail(refusalOf(error))),
        Effect.catchTag([...refusals], (error) => Effect.fail(new Failed({ message: plain(error.message) })))
      )
    )
).pipe(Command.withDescription("Put the files of a folder or an archive into a workspace, as one commit"))
