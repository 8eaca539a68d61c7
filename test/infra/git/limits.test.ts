import fs from "node:fs"
import { afterAll, assert, layer as withLayer } from "@effect/vitest"
import { Effect } from "effect"
import { type Overlay, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))
const limited = layer({ directory, limits: { bytes: 1000, files: 5 } })

const write = (overlay: Overlay, path: string, size: number) =>
  Effect.match(overlay.writeFile(path, new Uint8Array(size)), {
    onSuccess: () => "fine",
    onFailure: (error) => error._tag
  })

withLayer(limited)("a workspace's limits", (it) => {
  it.effect("count bytes, and refuse without a change", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const overlay = yield* workspaces.open("bytes", undefined)
      assert.strictEqual(yield* write(overlay, "a", 600), "fine")
      assert.strictEqual(yield* write(overlay, "b", 401), "WorkspaceFull")
      assert.deepStrictEqual(overlay.paths(), ["a"])
      assert.strictEqual(yield* write(overlay, "a", 1000), "fine")
      assert.strictEqual(yield* write(overlay, "b", 1), "WorkspaceFull")
      yield* overlay.remove("a")
      assert.strictEqual(yield* write(overlay, "b", 1000), "fine")
    })
  )

  it.effect("count what was stored before, known or not", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const first = yield* workspaces.open("stored", undefined)
      yield* write(first, "a", 400)
      yield* write(first, "d/b", 400)
      const tree = yield* workspaces.save("stored", first)
      for (const noted of [true, false]) {
        if (!noted) fs.rmSync(`${directory}/stored.git/cairn-bytes`)
        // a service that has just started
        yield* Effect.gen(function* () {
          const cold = yield* WorkspaceStore
          const overlay = yield* cold.open("stored", tree)
          assert.strictEqual(yield* write(overlay, "c", 201), "WorkspaceFull", `${noted}`)
          assert.strictEqual(yield* write(overlay, "c", 200), "fine")
          const back = yield* overlay.savepoint()
          yield* overlay.remove("d", { recursive: true })
          assert.strictEqual(yield* write(overlay, "e", 400), "fine")
          assert.strictEqual(yield* write(overlay, "e", 401), "WorkspaceFull")
          yield* back
          assert.strictEqual(yield* write(overlay, "f", 1), "WorkspaceFull")
          assert.strictEqual(yield* write(overlay, "d/b", 399), "fine")
          assert.strictEqual(yield* write(overlay, "f", 1), "fine")
        }).pipe(Effect.provide(limited, { local: true }))
      }
    })
  )

  it.effect("do not trust a damaged note", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const first = yield* workspaces.open("note", undefined)
      yield* write(first, "a", 900)
      const tree = yield* workspaces.save("note", first)
      const closed = `\n${tree} 9\n\n${"f".repeat(40)} 1 bytes\n`
      for (const damaged of [`${tree} 9`, `${tree} \0\0\n`, "\0".repeat(50), `x${tree} 9\n`, closed]) {
        fs.writeFileSync(`${directory}/note.git/cairn-bytes`, damaged)
        assert.strictEqual(yield* write(yield* workspaces.open("note", tree), "b", 101), "WorkspaceFull", damaged)
      }
    })
  )

  it.effect("count files and directories", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const overlay = yield* workspaces.open("files", undefined)
      for (const path of ["1", "2", "3", "4"]) assert.strictEqual(yield* write(overlay, path, 1), "fine")
      yield* overlay.symlink("1", "5")
      assert.strictEqual(yield* write(overlay, "6", 1), "WorkspaceFull")
      assert.strictEqual(yield* write(overlay, "5", 2), "fine")
      yield* overlay.rename("4", "3")
      assert.strictEqual(yield* write(overlay, "6", 1), "fine")
      const tooMany = yield* Effect.flip(overlay.mkdir("a/b/c/d/e", { recursive: true }))
      assert.strictEqual(tooMany._tag, "WorkspaceFull")
      assert.deepStrictEqual(overlay.emptyDirectories(), [])
    })
  )

  it.effect("hold no new content in memory beyond a bound", () =>
    Effect.gen(function* () {
      const workspaces = yield* WorkspaceStore
      const overlay = yield* workspaces.open("large", undefined)
      const back = yield* overlay.savepoint()
      for (let file = 0; file < 5; file++)
        yield* overlay.writeFile(`f${file}`, new Uint8Array(8 * 1024 * 1024).fill(file))
      const stored = fs.readdirSync(`${directory}/large.git/objects`).filter((name) => name.length === 2)
      assert.strictEqual(stored.length, 5)
      assert.strictEqual((yield* overlay.readFile("f3"))[7], 3)
      const tree = yield* workspaces.save("large", overlay)
      assert.strictEqual((yield* workspaces.files("large", tree)).length, 5)
      yield* back
      assert.deepStrictEqual(overlay.paths(), [])
    }).pipe(Effect.provide(layer({ directory }), { local: true }))
  )
})
