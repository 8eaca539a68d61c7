import { Effect } from "effect"
import { findGit } from "#infra/git/native/git.ts"
import { looseObjects } from "#infra/git/native/pack.ts"
import { type Sha, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"

/**
 * Writes and commits in a loop until it is killed; tells every commit whose ref has moved on a line of its own. With
 * `pack` it also packs beside that, and tells `packing` each time before it does.
 */
const [directory = "", workspace = "", packs] = process.argv.slice(2)

const loop = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  let head = yield* workspaces.ref(workspace)
  for (let round = 0; ; round++) {
    const base: Sha | undefined = head === undefined ? undefined : (yield* workspaces.readCommit(workspace, head))!.tree
    const overlay = yield* workspaces.open(workspace, base)
    const text = Buffer.from(`${process.pid} ${round}`)
    for (let file = 0; file < 20; file++) yield* overlay.writeFile(`d${file % 5}/e/f${(round * 7 + file) % 50}`, text)
    const tree = yield* workspaces.save(workspace, overlay)
    const author = { name: "a", email: "a@cairn" }
    const parents: ReadonlyArray<Sha> = head === undefined ? [] : [head]
    head = yield* workspaces.commit(workspace, { tree, parents, author, time: round * 1000, message: "m" })
    yield* workspaces.moveRef(workspace, head)
    process.stdout.write(`${head}\n`)
  }
})

const pack = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  for (;;) {
    yield* Effect.sleep("1 millis")
    if ((yield* Effect.promise(() => looseObjects(`${directory}/${workspace}.git`))) < 300) continue
    process.stdout.write("packing\n")
    yield* workspaces.pack(workspace, { prune: true })
  }
})

const git = packs === "pack" ? findGit() : undefined
const both = git === undefined ? loop : Effect.all([loop, pack], { concurrency: 2 })
Effect.runFork(Effect.orDie(Effect.provide(both, layer({ directory, git }))))
