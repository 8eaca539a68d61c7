import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { derivedId } from "#domain/Id.ts"
import { Workspaces } from "#ports/Workspaces.ts"
import { organizations } from "#projections/Keys.ts"
import {
  commitOf,
  commitsOf,
  tenantOfWorkspace,
  type WorkspaceRecord,
  Workspaces as WorkspacesModel,
  workspaceOf,
  workspacesOf
} from "#projections/Workspaces.ts"
import { workspaces } from "#src/layers.ts"
import { Failed } from "./failure.ts"
import { config, onLog, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer, Json, OutputClosed, plain, table, write } from "./output.ts"

/** A workspace is named by its id, or by the pair that a chat names it with. */
const which = {
  id: Argument.String("workspace").pipe(Argument.withDescription("The workspace's id"), Argument.optional),
  orgId: Flag.String("org-id").pipe(Flag.withDescription("Or: the org_id of its chats"), Flag.optional),
  userId: Flag.String("user-id").pipe(Flag.withDescription("And the user_id of its chats"), Flag.optional),
  org: orgFlag
}
type Which = {
  readonly id: Option.Option<string>
  readonly orgId: Option.Option<string>
  readonly userId: Option.Option<string>
  readonly org: Option.Option<string>
}

const at = Flag.String("at").pipe(
  Flag.withMetavar("SHA"),
  Flag.withDescription("At this commit; the latest unless given"),
  Flag.optional
)

/** The workspace that is meant. */
const find = Effect.fnUntraced(function* ({ id, orgId, userId, org }: Which) {
  yield* upToDate(WorkspacesModel)
  const pair = Option.isSome(orgId) && Option.isSome(userId)
  if (!pair && Option.isNone(id)) {
    return yield* new Failed({ message: "Name the workspace: its id, or --org-id and --user-id." })
  }
  const tenant = pair ? (yield* organizationOf(org)).id : yield* tenantOfWorkspace(Option.getOrThrow(id))
  const wanted = pair
    ? derivedId("workspace", tenant!, Option.getOrThrow(orgId), Option.getOrThrow(userId))
    : Option.getOrThrow(id)
  const found = tenant === undefined ? undefined : yield* workspaceOf(tenant, wanted)
  return (
    found ?? (yield* new Failed({ message: `There is no workspace ${plain(wanted)}: see \`cairn workspace list\`.` }))
  )
})

const commitIn = Effect.fnUntraced(function* ({ id, head }: WorkspaceRecord, sha: Option.Option<string>) {
  const wanted = Option.getOrElse(sha, () => head)
  const found = yield* commitOf(id, wanted)
  return found ?? (yield* new Failed({ message: `The workspace has no commit ${plain(wanted)}.` }))
})

const onGit = <A, E, R>(verb: Effect.Effect<A, E, R>) =>
  Effect.flatMap(config, (config) => onLog(Effect.provide(verb, workspaces(config))))

const list = Command.make("list", { org: orgFlag }, ({ org }) =>
  onLog(
    Effect.gen(function* () {
      yield* upToDate(WorkspacesModel)
      const tenants = Option.isSome(org) ? [yield* organizationOf(org)] : yield* organizations
      const found = (yield* Effect.forEach(tenants, ({ id }) => workspacesOf(id))).flat()
      const shown = found.map(({ id, tree, updated_at, ...workspace }) => ({
        ...{ workspace_id: id, ...workspace, updated_at: updated_at.toISOString() }
      }))
      yield* answer({ workspaces: shown }, () =>
        table(
          ["id", "org", "user", "commits", "files", "updated", "head"],
          shown.map((row) => [
            ...[
              row.workspace_id,
              row.org_id,
              row.user_id,
              row.commits,
              row.files,
              row.updated_at,
              row.head.slice(0, 12)
            ]
          ])
        )
      )
    })
  )
).pipe(Command.withDescription("List organizations' workspaces, the one that changed last first"))

const log = Command.make(
  "log",
  {
    ...which,
    limit: Flag.Int("limit").pipe(Flag.withDescription("At most so many; 50 unless given"), Flag.withDefault(50))
  },
  ({ limit, ...given }) =>
    onGit(
      Effect.gen(function* () {
        const git = yield* Workspaces
        const workspace = yield* find(given)
        const records = yield* commitsOf(workspace.id, limit, null)
        const commits = yield* Effect.forEach(
          records,
          Effect.fnUntraced(function* ({ id, sha, parent, run, recorded_at }) {
            const commit = yield* git.readCommit(workspace.id, sha)
            return {
              ...{ sha, parents: parent === null ? [] : [parent], message: commit?.message ?? "" },
              ...{
                author: commit?.author ?? null,
                committed_at: recorded_at.toISOString(),
                session_id: run,
                event_id: id
              }
            }
          })
        )
        yield* answer({ workspace_id: workspace.id, commits }, () =>
          commits.map(
            ({ sha, committed_at, author, message }) =>
              `${sha}  ${committed_at}  ${plain(author?.name ?? "")}  ${plain(message.split("\n")[0]!)}`
          )
        )
      })
    )
).pipe(Command.withDescription("List a workspace's commits, newest first"))

const diff = Command.make("diff", { ...which, at }, ({ at, ...given }) =>
  onGit(
    Effect.gen(function* () {
      const git = yield* Workspaces
      const workspace = yield* find(given)
      const { sha, parent, tree } = yield* commitIn(workspace, at)
      const before = parent === null ? undefined : yield* git.readCommit(workspace.id, parent)
      const text = yield* git.diff(workspace.id, before?.tree, tree, { maxBytes: 100_000_000 })
      const json = yield* Json
      yield* write(json ? `${JSON.stringify({ workspace_id: workspace.id, sha, diff: text })}\n` : text)
    })
  )
).pipe(Command.withDescription("Print what a commit changed, as git does"))

const files = Command.make("files", { ...which, at }, ({ at, ...given }) =>
  onGit(
    Effect.gen(function* () {
      const workspace = yield* find(given)
      const { sha, tree } = yield* commitIn(workspace, at)
      const files = yield* (yield* Workspaces).files(workspace.id, tree)
      yield* answer({ workspace_id: workspace.id, sha, files }, () =>
        table(
          ["mode", "size", "path"],
          files.map(({ mode, size, path }) => [mode, size, path])
        )
      )
    })
  )
).pipe(Command.withDescription("List the files of a commit"))

/** The bytes as they are: a terminal gets what `cat` would give it. */
const writeBytes = (bytes: Uint8Array): Effect.Effect<void, OutputClosed> =>
  Effect.callback((resume) => {
    process.stdout.write(bytes, (error) => resume(error == null ? Effect.void : Effect.fail(new OutputClosed())))
  })

const cat = Command.make(
  "cat",
  {
    names: Argument.String("workspace-and-path").pipe(
      Argument.withDescription("The workspace's id and the file; only the file with --org-id and --user-id"),
      Argument.between(1, 2)
    ),
    ...{ orgId: which.orgId, userId: which.userId, org: which.org, at }
  },
  ({ names, at, ...pair }) =>
    onGit(
      Effect.gen(function* () {
        const path = names.at(-1)!
        const given = { ...pair, id: names.length === 2 ? Option.some(names[0]!) : Option.none() }
        const workspace = yield* find(given)
        const { sha, tree } = yield* commitIn(workspace, at)
        const found = yield* (yield* Workspaces).readFile(workspace.id, tree, path)
        if (found === undefined) return yield* new Failed({ message: `There is no file ${plain(path)} at ${sha}.` })
        if (!(yield* Json)) return yield* writeBytes(found.bytes)
        const content = Buffer.from(found.bytes).toString("base64")
        yield* write(`${JSON.stringify({ ...found.file, sha, encoding: "base64", content })}\n`)
      })
    )
).pipe(Command.withDescription("Print a file of a commit"))

export const command = Command.make("workspace").pipe(
  Command.withDescription("Workspaces of agents: their commits and files"),
  Command.withSubcommands([list, log, diff, files, cat])
)
