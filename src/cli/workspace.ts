import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { unlimited } from "#domain/Key.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { organizations } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { commitsOf } from "#projections/Workspaces/commits.ts"
import { type WorkspaceRecord, workspacesOf } from "#projections/Workspaces/standing.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { listed } from "#src/workspaces/listed.ts"
import { commitsOfFile } from "#src/workspaces/ofFile.ts"
import { Failed } from "./failure.ts"
import { onLog, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer, Json, plain, write } from "./output.ts"
import { erase, restore } from "./workspace/changes.ts"
import { importing } from "./workspace/importing.ts"
import { at, behind, history, idIn, onePlace } from "./workspace/naming.ts"
import { commitLine, fileTable, noteEarlier, workspaceTable, writeDiff, writeFileAsJson } from "./workspace/shown.ts"
import { commitIn, find, onGit, pair, which } from "./workspace/which.ts"

/** The operator's own machine gets all workspaces on one page. */
const all = 2_147_483_647

/** The operator sees everybody's workspaces. */
const operator = { limits: unlimited, userId: null, email: "" }

const list = Command.make("list", { org: orgFlag }, ({ org }) =>
  onLog(
    Effect.gen(function* () {
      yield* upToDate(Workspaces, Keys)
      const tenants = Option.isSome(org) ? [yield* organizationOf(org)] : yield* organizations
      const shown = (yield* Effect.forEach(tenants, ({ id: tenant }) =>
        Effect.flatMap(workspacesOf({ ...operator, tenant }, null, all), (found) => listed(tenant, found))
      )).flat()
      yield* answer({ workspaces: shown }, () => workspaceTable(shown))
    })
  )
).pipe(Command.withDescription("List organizations' workspaces, latest change first"))

/** Commits of a workspace, newest first, and the one before which the next page begins; `null`: there is none. */
const pageOf = Effect.fnUntraced(function* (
  { id, generation }: WorkspaceRecord,
  {
    limit,
    before,
    path
  }: { readonly limit: number; readonly before: number | null; readonly path: Option.Option<string> }
) {
  if (Option.isSome(path)) {
    const place = { workspace: id, repository: repositoryOf(id, generation) }
    return yield* commitsOfFile(place, path.value, { limit, before })
  }
  const found = yield* commitsOf(id, limit + 1, before)
  const changed = found.slice(0, limit)
  return { changed, next: found.length > limit ? changed.at(-1)!.sha : null }
})

const log = Command.make("log", { ...which, ...history }, ({ limit, before, at, path, ...given }) =>
  onGit(
    Effect.gen(function* () {
      yield* onePlace({ before, at })
      const git = yield* WorkspaceStore
      const workspace = yield* find({ ...given, at })
      const revisionOf = (sha: Option.Option<string>) =>
        Effect.map(commitIn(workspace, sha), ({ revision }) => revision)
      const place = Option.isSome(at)
        ? (yield* revisionOf(at)) + 1
        : Option.isSome(before)
          ? yield* revisionOf(before)
          : null
      const { changed, next } = yield* pageOf(workspace, { limit, before: place, path })
      const repository = repositoryOf(workspace.id, workspace.generation)
      const commits = yield* Effect.forEach(
        changed,
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
      yield* answer({ workspace_id: workspace.id, commits, next_before: next }, () =>
        commits.map(({ committed_at, author, ...commit }) =>
          commitLine({ ...commit, committedAt: committed_at, author: author?.name ?? "" })
        )
      )
      yield* noteEarlier(next)
    })
  )
).pipe(Command.withDescription("List a workspace's commits, newest first"))

const diff = Command.make("diff", { ...which, at }, ({ at, ...given }) =>
  onGit(
    Effect.gen(function* () {
      const git = yield* WorkspaceStore
      const workspace = yield* find({ ...given, at })
      const { sha, parent, tree } = yield* commitIn(workspace, at)
      const repository = repositoryOf(workspace.id, workspace.generation)
      const before = parent === null ? undefined : yield* git.readCommit(repository, parent)
      const text = yield* git.diff(repository, before?.tree, tree, { maxBytes: 100_000_000 })
      yield* writeDiff(workspace.id, sha, text)
    })
  )
).pipe(Command.withDescription("Print what a commit changed, as git does"))

const files = Command.make("files", { ...which, at }, ({ at, ...given }) =>
  onGit(
    Effect.gen(function* () {
      const workspace = yield* find({ ...given, at })
      const { sha, tree } = yield* commitIn(workspace, at)
      const files = yield* (yield* WorkspaceStore).files(repositoryOf(workspace.id, workspace.generation), tree)
      yield* answer({ workspace_id: workspace.id, sha, files }, () => fileTable(files))
    })
  )
).pipe(Command.withDescription("List the files of a commit"))

const cat = Command.make(
  "cat",
  {
    names: behind("path", "file"),
    ...pair,
    at
  },
  ({ names, at, ...chat }) =>
    onGit(
      Effect.gen(function* () {
        const path = names.at(-1)!
        const given = { ...chat, id: idIn(names) }
        const workspace = yield* find({ ...given, at })
        const { sha, tree } = yield* commitIn(workspace, at)
        const repository = repositoryOf(workspace.id, workspace.generation)
        const found = yield* (yield* WorkspaceStore).readFile(repository, tree, path)
        if (found === undefined) return yield* new Failed({ message: `There is no file ${plain(path)} at ${sha}.` })
        if (!(yield* Json)) return yield* write(found.bytes)
        yield* writeFileAsJson(found.file, sha, found.bytes)
      })
    )
).pipe(Command.withDescription("Print a file of a commit"))

export const command = Command.make("workspace").pipe(
  Command.withDescription("Agents' workspaces: their commits and files"),
  Command.withSubcommands([list, log, diff, files, cat, importing, restore, erase])
)
