import { Effect } from "effect"
import { layer } from "#infra/git/layer.ts"
import { type Sha, Workspaces } from "#ports/Workspaces.ts"

/** Writes and commits in a loop until it is killed; tells every commit whose ref has moved on a line of its own. */
const [directory = "", workspace = ""] = process.argv.slice(2)

const loop = Effect.gen(function* () {
  const workspaces = yield* Workspaces
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

Effect.runFork(Effect.orDie(Effect.provide(loop, layer({ directory }))))
