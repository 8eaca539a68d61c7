import { randomBytes } from "node:crypto"
import fs from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { findGit } from "#infra/git/native/git.ts"
import { type Sha, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { git, noGit, temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))
const gitdir = (id: string) => `${directory}/${id}.git`

const large = randomBytes(3 * 1024 * 1024 + 17)
const other = Buffer.concat([large.subarray(0, 2_000_000), Buffer.from("changed"), large.subarray(2_000_000)])

/** Two commits, each with its own large file; their trees. */
const stored = Effect.fnUntraced(function* (id: string) {
  const workspaces = yield* WorkspaceStore
  const trees: Array<Sha> = []
  let parents: ReadonlyArray<Sha> = []
  for (const content of [large, other]) {
    const overlay = yield* workspaces.open(id, trees.at(-1))
    yield* overlay.writeFile("a/large.bin", content)
    yield* overlay.writeFile("small", Buffer.from("small"))
    yield* overlay.writeFile("empty", new Uint8Array())
    const tree = yield* workspaces.save(id, overlay)
    const info = { tree, parents, author: { name: "a", email: "a@cairn" }, time: 0, message: "m" }
    parents = [yield* workspaces.commit(id, info)]
    yield* workspaces.moveRef(id, parents[0]!)
    trees.push(tree)
  }
  return trees
})

/** A file's pieces and what is said of it; another layer than the one that wrote it has nothing of it in memory. */
const read = (id: string, tree: Sha, path: string) =>
  Effect.gen(function* () {
    const file = (yield* (yield* WorkspaceStore).filePieces(id, tree, path))!
    const pieces = yield* Stream.runCollect(file.pieces)
    return {
      size: file.size,
      atOnce: file.atOnce,
      bytes: Buffer.concat(pieces),
      longest: Math.max(...pieces.map(({ length }) => length))
    }
  }).pipe(Effect.provide(layer({ directory })))

/** Files of the repositories that this process has open. */
const open = () =>
  fs.readdirSync("/proc/self/fd").filter((name) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${name}`).startsWith(directory)
    } catch {
      return false
    }
  }).length

describe("a file that is read piece by piece", () => {
  it.live("is the one that was stored, and no more than a piece of it is in memory", () =>
    Effect.gen(function* () {
      const [tree] = yield* stored("loose")
      const { size, atOnce, bytes, longest } = yield* read("loose", tree!, "a/large.bin")
      assert.deepStrictEqual([size, atOnce, bytes.equals(large)], [large.length, 0, true])
      assert.isAtMost(longest, 64 * 1024)
      assert.strictEqual((yield* read("loose", tree!, "small")).bytes.toString(), "small")
      assert.strictEqual((yield* read("loose", tree!, "empty")).size, 0)
      const { filePieces } = yield* WorkspaceStore
      for (const path of ["a", "nothing", "small/er"]) assert.isUndefined(yield* filePieces("loose", tree!, path), path)
    }).pipe(Effect.provide(layer({ directory })))
  )

  it.live("is closed when nobody reads on", () =>
    Effect.gen(function* () {
      const [tree] = yield* stored("left")
      const { pieces } = (yield* (yield* WorkspaceStore).filePieces("left", tree!, "a/large.bin"))!
      yield* Stream.runDrain(Stream.take(pieces, 2))
      assert.strictEqual(open(), 0)
      yield* Stream.runDrain(pieces)
      assert.strictEqual(open(), 0)
    }).pipe(Effect.provide(layer({ directory })))
  )

  it.live.skipIf(noGit)("is read so from a pack too; of what is a delta it is said that all is in memory", () =>
    Effect.gen(function* () {
      const trees = yield* stored("packed")
      git(gitdir("packed"), ["-c", "core.bigFileThreshold=1m", "repack", "-adqf"])
      for (const [index, content] of [large, other].entries()) {
        const { atOnce, bytes, longest } = yield* read("packed", trees[index]!, "a/large.bin")
        assert.deepStrictEqual([atOnce, bytes.equals(content)], [0, true])
        assert.isAtMost(longest, 64 * 1024)
      }
      git(gitdir("packed"), ["repack", "-adqf"])
      const found = []
      for (const [index, content] of [large, other].entries()) {
        const { atOnce, bytes, longest } = yield* read("packed", trees[index]!, "a/large.bin")
        assert.isTrue(bytes.equals(content))
        assert.isAtMost(longest, 64 * 1024)
        found.push(atOnce / content.length)
      }
      assert.sameMembers(found, [0, 2])
      assert.strictEqual(open(), 0)
    }).pipe(Effect.provide(layer({ directory, git: findGit() })))
  )
})
