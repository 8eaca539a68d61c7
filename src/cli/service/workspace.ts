import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { Failed } from "../failure.ts"
import { answer, Json, plain, write } from "../output.ts"
import { at, behind, history, idIn, onePlace, pair, which } from "../workspace/naming.ts"
import { commitLine, fileTable, noteEarlier, workspaceTable, writeDiff, writeFileAsJson } from "../workspace/shown.ts"
import { service } from "./asking.ts"
import { importing } from "./workspace/importing.ts"
import { all, commitIn, find } from "./workspace/which.ts"

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const workspaces = yield* all(yield* service())
    yield* answer({ workspaces }, () => workspaceTable(workspaces))
  })
).pipe(Command.withDescription("List the workspaces that your key sees, latest change first"))

const log = Command.make("log", { ...which, ...history }, ({ limit, before, at, path, ...given }) =>
  Effect.gen(function* () {
    yield* onePlace({ before, at })
    const ask = yield* service()
    const workspace = yield* find(ask, { ...given, at })
    const id = workspace.workspace_id
    const named = (sha: Option.Option<string>) =>
      Option.isNone(sha) ? Effect.undefined : commitIn(ask, workspace, sha)
    const page = { limit, before: yield* named(before), at: yield* named(at), path: Option.getOrUndefined(path) }
    const { data, wire } = yield* ask((cairn, options) => cairn.workspaces.commits(id, page, options))
    yield* answer({ workspace_id: id, ...wire }, () =>
      data.commits.map(({ author, ...commit }) => commitLine({ ...commit, author: author.name }))
    )
    yield* noteEarlier(data.nextBefore)
  })
).pipe(Command.withDescription("List a workspace's commits, newest first"))

const diff = Command.make("diff", { ...which, at }, ({ at, ...given }) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const workspace = yield* find(ask, { ...given, at })
    const id = workspace.workspace_id
    const sha = yield* commitIn(ask, workspace, at)
    const { data } = yield* ask((cairn, options) => cairn.workspaces.commit(id, sha, options))
    yield* writeDiff(id, sha, data.diff)
  })
).pipe(Command.withDescription("Print what a commit changed, as git does"))

const files = Command.make("files", { ...which, at }, ({ at, ...given }) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const workspace = yield* find(ask, { ...given, at })
    const id = workspace.workspace_id
    const sha = yield* commitIn(ask, workspace, at)
    const { data, wire } = yield* ask((cairn, options) => cairn.workspaces.tree(id, { at: sha }, options))
    yield* answer({ workspace_id: id, sha, ...wire }, () => fileTable(data.files))
  })
).pipe(Command.withDescription("List the files of a commit"))

const cat = Command.make("cat", { names: behind("path", "file"), ...pair, at }, ({ names, at, ...given }) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const workspace = yield* find(ask, { ...given, id: idIn(names), at })
    const id = workspace.workspace_id
    const path = names.at(-1)!
    const sha = yield* commitIn(ask, workspace, at)
    const { data: bytes } = yield* ask((cairn, options) => cairn.workspaces.file(id, path, { at: sha }, options))
    if (!(yield* Json)) return yield* write(bytes)
    const { data: tree } = yield* ask((cairn, options) => cairn.workspaces.tree(id, { at: sha }, options))
    const file = tree.files.find((one) => one.path === path.replace(/^\//, ""))
    if (file === undefined) return yield* new Failed({ message: `There is no file ${plain(path)} at ${sha}.` })
    yield* writeFileAsJson(file, sha, bytes)
  })
).pipe(Command.withDescription("Print a file of a commit"))

const restore = Command.make("restore", { names: behind("commit", "commit"), ...pair }, ({ names, ...given }) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const workspace = yield* find(ask, { ...given, id: idIn(names) })
    const sha = yield* commitIn(ask, workspace, Option.some(names.at(-1)!))
    const { data, wire } = yield* ask((cairn, options) =>
      cairn.workspaces.restore(workspace.workspace_id, sha, options)
    )
    yield* answer(wire, () => [`${data.commit} has the files of ${sha}.`])
  })
).pipe(Command.withDescription("Bring back the files of an earlier commit, as a new commit"))

const erase = Command.make("erase", which, (given) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const { workspace_id: id } = yield* find(ask, given)
    const { data, wire } = yield* ask((cairn, options) => cairn.workspaces.delete(id, options))
    const { commits, chats, files } = data.erased
    yield* answer(wire, () => [`Erased ${id}: ${commits} commits, ${chats} chats, ${files} files.`])
  })
).pipe(Command.withDescription("Erase a workspace for good: its files, its history and the texts of its chats"))

export const command = Command.make("workspace").pipe(
  Command.withDescription("Agents' workspaces at the service at CAIRN_URL: their commits and files"),
  Command.withSubcommands([list, log, diff, files, cat, importing, restore, erase])
)
