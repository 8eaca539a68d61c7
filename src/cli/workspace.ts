import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { unlimited } from "#domain/Key.ts"
import { repositoryOf } from "#domain/Workspace.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { organizations } from "#projections/Keys.ts"
import { commitsOf, Workspaces, workspacesOf } from "#projections/Workspaces.ts"
import { Failed } from "./failure.ts"
import { onLog, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer, Json, plain, table, write } from "./output.ts"
import { erase, restore } from "./workspace/changes.ts"
import { importing } from "./workspace/importing.ts"
import { at, commitIn, find, onGit, which } from "./workspace/which.ts"

/** On the operator's own machine there is no page. */
const all = 2_147_483_647

/** Who operates the service sees the workspaces of everybody. */
const operator = { limits: unlimited, userId: null, email: "" }

const list = Command.make("list", { org: orgFlag }, ({ org }) =>
  onLog(
    Effect.gen(function* () {
      yield* upToDate(Workspaces)
      const tenants = Option.isSome(org) ? [yield* organizationOf(org)] : yield* organizations
      const found = (yield* Effect.forEach(tenants, ({ id }) =>
        workspacesOf({ ...operator, tenant: id }, null, all)
      )).flat()
      const shown = found.map(({ id, generation, tree, updated_at, ...workspace }) => ({
        workspace_id: id,
        ...workspace,
        updated_at: updated_at.toISOString()
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
        const git = yield* WorkspaceStore
        const workspace = yield* find(given)
        const repository = repositoryOf(workspace.id, workspace.generation)
        const records = yield* commitsOf(workspace.id, limit, null)
        const commits = yield* Effect.forEach(
          records,
          Effect.fnUntraced(function* ({ id, sha, parent, run, recorded_at }) {
            const commit = yield* git.readCommit(repository, sha)
            return {
              sha,
              parents: parent === null ? [] : [parent],
              message: commit?.message ?? "",
              author: commit?.author ?? null,
              committed_at: (commit === undefined ? recorded_at : new Date(commit.time)).toISOString(),
              session_id: run,
              event_id: id
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
      const git = yield* WorkspaceStore
      const workspace = yield* find(given)
      const { sha, parent, tree } = yield* commitIn(workspace, at)
      const repository = repositoryOf(workspace.id, workspace.generation)
      const before = parent === null ? undefined : yield* git.readCommit(repository, parent)
      const text = yield* git.diff(repository, before?.tree, tree, { maxBytes: 100_000_000 })
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
      const files = yield* (yield* WorkspaceStore).files(repositoryOf(workspace.id, workspace.generation), tree)
      yield* answer({ workspace_id: workspace.id, sha, files }, () =>
        table(
          ["mode", "size", "path"],
          files.map(({ mode, size, path }) => [mode, size, path])
        )
      )
    })
  )
).pipe(Command.withDescription("List the files of a commit"))

const cat = Command.make(
  "cat",
  {
    names: Argument.String("workspace-and-path").pipe(
      Argument.withDescription("The workspace's id and the file; only the file with --org-id and --user-id"),
      Argument.between(1, 2)
    ),
    orgId: which.orgId,
    userId: which.userId,
    org: which.org,
    at
  },
  ({ names, at, ...pair }) =>
    onGit(
      Effect.gen(function* () {
        const path = names.at(-1)!
        const given = { ...pair, id: names.length === 2 ? Option.some(names[0]!) : Option.none() }
        const workspace = yield* find(given)
        const { sha, tree } = yield* commitIn(workspace, at)
        const repository = repositoryOf(workspace.id, workspace.generation)
        const found = yield* (yield* WorkspaceStore).readFile(repository, tree, path)
        if (found === undefined) return yield* new Failed({ message: `There is no file ${plain(path)} at ${sha}.` })
        if (!(yield* Json)) return yield* write(found.bytes)
        const content = Buffer.from(found.bytes).toString("base64")
        yield* write(`${JSON.stringify({ ...found.file, sha, encoding: "base64", content })}\n`)
      })
    )
).pipe(Command.withDescription("Print a file of a commit"))

export const command = Command.make("workspace").pipe(
  Command.withDescription("Workspaces of agents: their commits and files"),
  Command.withSubcommands([list, log, diff, files, cat, importing, restore, erase])
)
