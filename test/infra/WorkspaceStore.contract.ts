import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { type CommitInfo, type Overlay, type Sha, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { overlayContract } from "./Overlay.contract.ts"

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const text = (content: Uint8Array) => Buffer.from(content).toString()

const info = (tree: Sha, parents: ReadonlyArray<Sha> = []): CommitInfo => ({
  tree,
  parents,
  author: { name: "Ada Lovelace", email: "workspace@cairn" },
  time: 1_700_000_000_999,
  message: "A stone\n\nCairn-Run: 1"
})

const write = (overlay: Overlay, files: Record<string, string>) =>
  Effect.forEach(Object.entries(files), ([path, content]) => overlay.writeFile(path, bytes(content)))

let last = 0
const fresh = () => `contract-${++last}`

/** What every adapter of the port promises. */
export const contract = (name: string, layer: Layer.Layer<WorkspaceStore>) => {
  overlayContract(`${name}: overlay`, layer)
  withLayer(layer)(name, (it) => {
    const saved = Effect.fnUntraced(function* (
      workspace: string,
      base: Sha | undefined,
      files: Record<string, string>
    ) {
      const workspaces = yield* WorkspaceStore
      const overlay = yield* workspaces.open(workspace, base)
      yield* write(overlay, files)
      return yield* workspaces.save(workspace, overlay)
    })

    it.effect("keeps what was saved", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const id = fresh()
        const overlay = yield* workspaces.open(id, undefined)
        assert.deepStrictEqual(overlay.paths(), [])
        yield* write(overlay, { "a/b.txt": "one", "a-b": "two", "a.txt": "three", "ü/🪨": "four", "\uff00": "five" })
        yield* overlay.writeFile("run", bytes("#!"), { executable: true })
        yield* overlay.symlink("a/b.txt", "link")
        const tree = yield* workspaces.save(id, overlay)
        assert.strictEqual(yield* workspaces.save(id, overlay), tree)

        const again = yield* workspaces.open(id, tree)
        const paths = ["a-b", "a.txt", "a/b.txt", "link", "run", "ü/🪨", "\uff00"]
        assert.deepStrictEqual(again.paths(), paths)
        assert.deepStrictEqual(yield* again.changes(), [])
        assert.strictEqual(text(yield* again.readFile("link")), "one")
        const files = yield* workspaces.files(id, tree)
        assert.deepStrictEqual(
          files.map(({ path }) => path),
          paths
        )
        assert.deepStrictEqual((yield* Stream.runCollect(workspaces.eachPath(id, tree))).flat(), paths)
        assert.deepStrictEqual(files.map(({ mode }) => mode.slice(0, 6)).slice(3, 5), ["120000", "100755"])
        assert.deepStrictEqual(
          files.map(({ size }) => size),
          [3, 5, 3, 7, 2, 4, 4]
        )
        const read = yield* workspaces.readFile(id, tree, "link")
        assert.strictEqual(text(read!.bytes), "a/b.txt")
        for (const path of ["a", "nothing", "a-b/c", "../x", "", "/a"]) {
          assert.isUndefined(yield* workspaces.readFile(id, tree, path), path)
        }
      })
    )

    it.effect("gives the same names for the same input", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const [one, other] = [fresh(), fresh()]
        const trees = [
          yield* saved(one, undefined, { x: "1", "y/z": "2" }),
          yield* saved(other, undefined, { "y/z": "2", x: "1" })
        ]
        assert.strictEqual(trees[0], trees[1])
        const commits = [
          yield* workspaces.commit(one, info(trees[0]!)),
          yield* workspaces.commit(other, info(trees[0]!))
        ]
        assert.strictEqual(commits[0], commits[1])
        assert.strictEqual(yield* workspaces.commit(one, info(trees[0]!)), commits[0])
        // as native git names them: another format would give every commit of a replay another name
        assert.strictEqual(trees[0], "61526715b034bcd90324be03adb7d49851599d27")
        assert.strictEqual(commits[0], "242313fde9e0ecf48b83a13a875cd936327703f0")
      })
    )

    it.effect("commits, moves the ref and reads both", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const id = fresh()
        assert.isUndefined(yield* workspaces.ref(id))
        assert.isUndefined(yield* workspaces.readCommit(id, "0".repeat(40)))
        const tree = yield* saved(id, undefined, { x: "1" })
        const first = yield* workspaces.commit(id, info(tree))
        assert.isUndefined(yield* workspaces.ref(id))
        yield* workspaces.moveRef(id, first)
        yield* workspaces.moveRef(id, first)
        assert.strictEqual(yield* workspaces.ref(id), first)
        const second = yield* workspaces.commit(id, info(yield* saved(id, tree, { x: "2" }), [first]))
        yield* workspaces.moveRef(id, second)
        assert.strictEqual(yield* workspaces.ref(id), second)
        const read = yield* workspaces.readCommit(id, second)
        assert.deepStrictEqual(read!.parents, [first])
        assert.strictEqual(read!.time, 1_700_000_000_000)
        assert.deepStrictEqual(read!.author, { name: "Ada Lovelace", email: "workspace@cairn" })
        assert.strictEqual(read!.message, "A stone\n\nCairn-Run: 1\n")
        for (const sha of [tree, "main", "", "../../x"]) assert.isUndefined(yield* workspaces.readCommit(id, sha))
      })
    )

    it.effect("cleans authors", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const id = fresh()
        const tree = yield* saved(id, undefined, { x: "1" })
        const named = Effect.fnUntraced(function* (name: string, email: string) {
          const sha = yield* workspaces.commit(id, { ...info(tree), author: { name, email } })
          return (yield* workspaces.readCommit(id, sha))!.author
        })
        assert.deepStrictEqual(yield* named("Eve <x>\nparent 1", "a <b>\n@c"), { name: "Eve xparent 1", email: "ab@c" })
        assert.deepStrictEqual(yield* named(" <>\0. ", "<>"), { name: "unknown", email: "unknown@cairn" })
      })
    )

    it.effect("compares, diffs and puts changes on another tree", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const id = fresh()
        const base = yield* saved(id, undefined, { a: "1", "d/x": "1", "d/y": "1", keep: "1", f: "1" })
        const overlay = yield* workspaces.open(id, base)
        yield* write(overlay, { a: "2", "new/n": "n" })
        yield* overlay.remove("d/x")
        yield* overlay.remove("f")
        yield* overlay.writeFile("f/inside", bytes("dir now"))
        yield* overlay.chmod("keep", true)
        const tree = yield* workspaces.save(id, overlay)
        const changes = yield* workspaces.compare(id, base, tree)
        const listed = changes.map(({ path, status }) => `${status} ${path}`)
        assert.deepStrictEqual(listed, [
          "modified a",
          "deleted d/x",
          "deleted f",
          "created f/inside",
          "modified keep",
          "created new/n"
        ])
        assert.deepStrictEqual(
          yield* overlay.changes(),
          changes.map(({ path, status }) => ({ path, status }))
        )
        assert.strictEqual(changes[0]!.before!.size, 1)
        assert.isUndefined(changes[1]!.after)
        assert.strictEqual((yield* workspaces.compare(id, undefined, base)).length, 5)
        assert.deepStrictEqual(yield* workspaces.compare(id, tree, tree), [])
        const [modified] = changes
        assert.deepStrictEqual(yield* workspaces.fileAt(id, base, "a"), {
          mode: "100644",
          sha: modified!.before!.sha
        })
        assert.strictEqual((yield* workspaces.fileAt(id, tree, "keep"))!.mode, "100755")
        assert.deepStrictEqual(yield* workspaces.fileAt(id, base, "d/y"), yield* workspaces.fileAt(id, tree, "d/y"))
        for (const path of ["d", "d/x", "f", "f/inside/x", "", "/", "a/"])
          assert.isUndefined(yield* workspaces.fileAt(id, tree, path), path)
        assert.include(yield* workspaces.diff(id, base, tree), "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n\\ No newline")
        const short = yield* workspaces.diff(id, base, tree, { maxBytes: 200 })
        assert.isAtMost(Buffer.byteLength(short), 200)
        assert.include(short, "left out")

        const theirs = yield* workspaces.open(id, base)
        yield* write(theirs, { a: "3", other: "o", new: "a file" })
        yield* theirs.remove("d/x")
        yield* theirs.writeFile("d/x/deep", bytes("1"))
        const onto = yield* workspaces.save(id, theirs)
        const merged = yield* workspaces.open(id, yield* workspaces.rebase(id, base, tree, onto))
        assert.deepStrictEqual(merged.paths(), ["a", "d/x/deep", "d/y", "f/inside", "keep", "new/n", "other"])
        assert.strictEqual(text(yield* merged.readFile("a")), "2")
        assert.strictEqual((yield* merged.stat("keep")).kind, "executable")
        assert.strictEqual(yield* workspaces.rebase(id, base, tree, base), tree)
      })
    )

    it.effect("erases, and begins anew", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const id = fresh()
        const tree = yield* saved(id, undefined, { x: "1" })
        const commit = yield* workspaces.commit(id, info(tree))
        yield* workspaces.moveRef(id, commit)
        yield* workspaces.erase(id)
        yield* workspaces.erase(id)
        assert.isUndefined(yield* workspaces.ref(id))
        assert.isUndefined(yield* workspaces.readCommit(id, commit))
        assert.strictEqual((yield* Effect.exit(workspaces.files(id, tree)))._tag, "Failure")
        assert.deepStrictEqual((yield* workspaces.open(id, undefined)).paths(), [])
        assert.isUndefined(yield* workspaces.readCommit(id, commit))
      })
    )

    it.effect("shows nothing of one workspace in another", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const [one, other] = [fresh(), fresh()]
        const tree = yield* saved(one, undefined, { x: "1" })
        yield* saved(other, undefined, { y: "1" })
        assert.strictEqual((yield* Effect.exit(workspaces.open(other, tree)))._tag, "Failure")
        for (const id of ["../x", "a/b", "", ".", "A"]) {
          assert.strictEqual((yield* Effect.exit(workspaces.open(id, undefined)))._tag, "Failure", id)
        }
      })
    )
  })
}
