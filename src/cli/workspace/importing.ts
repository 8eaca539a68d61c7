import { existsSync, statSync } from "node:fs"
import { lstat, readdir, readFile, readlink } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { pathProblem } from "#domain/workspacePath.ts"
import { type ArchivedEntry, ArchiveRefused } from "#ports/Archives.ts"
import { Workspaces } from "#projections/Workspaces.ts"
import { archives } from "#src/layers.ts"
import { changeFiles } from "#src/workspaces/change.ts"
import { openWorkspace } from "#src/workspaces/open.ts"
import { putEntries, unpack } from "#src/workspaces/unpack.ts"
import { Failed } from "../failure.ts"
import { reach } from "../log.ts"
import { metadata } from "../metadata.ts"
import { organizationOf } from "../organization.ts"
import { answer, plain } from "../output.ts"
import { Surroundings } from "../surroundings.ts"
import { find, named, noWorkspace, onGit, which } from "./which.ts"

/** What lies in a folder of the operator's, without git's own. */
const entriesOf = async function* (folder: string, prefix: string): AsyncGenerator<ArchivedEntry, void, undefined> {
  for (const name of (await readdir(folder)).sort()) {
    if (name === ".git") continue
    const [place, path] = [join(folder, name), `${prefix}${name}`]
    const stat = await lstat(place)
    if (stat.isDirectory()) yield* entriesOf(place, `${path}/`)
    else if (stat.isSymbolicLink()) yield { path, kind: "symlink", bytes: Buffer.from(await readlink(place)) }
    else if (stat.isFile()) {
      yield { path, kind: (stat.mode & 0o100) === 0 ? "file" : "executable", bytes: await readFile(place) }
    } else throw new ArchiveRefused({ path, message: "It is a device or a pipe, which no workspace has." })
  }
}

const unread = (name: string) => (error: unknown) =>
  error instanceof ArchiveRefused
    ? error
    : new ArchiveRefused({ path: null, message: `${plain(name)} can't be read: ${(error as Error).message}` })

/** How the files of a folder, or of an archive, are put into a workspace. */
const editFrom = Effect.fnUntraced(function* (source: string, folder: string, instead: boolean) {
  const { env } = yield* Surroundings
  const place = resolve(env["INIT_CWD"] ?? ".", source)
  if (!existsSync(place)) return yield* new Failed({ message: `There is no ${plain(source)}.` })
  if (statSync(place).isDirectory()) {
    const entries = Stream.suspend(() => Stream.fromAsyncIterable(entriesOf(place, ""), unread(source)))
    return putEntries(entries, folder, instead)
  }
  const archive = yield* Effect.tryPromise({ try: () => readFile(place), catch: unread(source) })
  return yield* unpack(archive, folder, instead).pipe(Effect.provide(archives))
})

const refusals = ["ArchiveRefused", "PathRefused", "FileError", "WorkspaceFull"] as const

export const importing = Command.make(
  "import",
  {
    names: Argument.String("workspace-and-source").pipe(
      Argument.withDescription(
        "The workspace's id, and a folder, a zip or a tar; only the latter with --org-id and --user-id, whose workspace is made where there is none"
      ),
      Argument.between(1, 2)
    ),
    orgId: which.orgId,
    userId: which.userId,
    org: which.org,
    path: Flag.String("path").pipe(
      Flag.withDescription("The workspace's folder that it goes into; the root unless given"),
      Flag.withDefault("")
    ),
    replace: Flag.Boolean("replace").pipe(
      Flag.withDescription("What else is in that folder goes"),
      Flag.withDefault(false)
    )
  },
  ({ names, path, replace, ...pair }) =>
    onGit(
      Effect.gen(function* () {
        const source = names.at(-1)!
        const problem = path === "" ? undefined : pathProblem(path)
        if (problem !== undefined) return yield* new Failed({ message: `The path can't be: ${problem}.` })
        const edit = yield* editFrom(source, path, replace)
        const given = { ...pair, id: names.length === 2 ? Option.some(names[0]!) : Option.none() }
        if (Option.isSome(pair.orgId) && Option.isSome(pair.userId)) {
          const { id: tenant } = yield* organizationOf(pair.org)
          const [org, user] = [pair.orgId.value, pair.userId.value]
          const { position } = yield* openWorkspace(tenant, { org, user }, metadata())
          if (position !== undefined) yield* reach([Workspaces], position)
        }
        const { tenant } = yield* named(given)
        const workspace = yield* find(given)
        const subject = `Import ${basename(source)}${path === "" ? "" : ` into ${path}`}`
        const asked = { how: "archive", subject, edit } as const
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
        Effect.catchTag([...refusals], (error) =>
          Effect.fail(
            new Failed({
              message: plain(
                error._tag === "ArchiveRefused" && error.path !== null
                  ? `${error.path}: ${error.message}`
                  : error.message
              )
            })
          )
        )
      )
    )
).pipe(Command.withDescription("Put a folder's or an archive's files into a workspace, as one commit"))
