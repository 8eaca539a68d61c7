import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Overlay, type OverlayError, type Sha, WorkspaceStore } from "#ports/WorkspaceStore.ts"

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const text = (content: Uint8Array) => Buffer.from(content).toString()

const write = (overlay: Overlay, files: Record<string, string>) =>
  Effect.forEach(Object.entries(files), ([path, content]) => overlay.writeFile(path, bytes(content)))

/** The answer's code, or `refused`, or `full`, or `fine`. */
const outcome = <A, E extends { readonly _tag: string; readonly code?: string }>(effect: Effect.Effect<A, E>) =>
  Effect.match(effect, {
    onSuccess: () => "fine",
    onFailure: (error) => error.code ?? (error._tag === "PathRefused" ? "refused" : "full")
  })

let last = 0
const fresh = () => `overlay-${++last}`

/** What the views that `WorkspaceStore` opens promise. */
export const overlayContract = (name: string, layer: Layer.Layer<WorkspaceStore>) =>
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

    it.effect("answers as a POSIX file system", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const overlay = yield* workspaces.open(fresh(), undefined)
        yield* write(overlay, { "d/f": "1", g: "2", "e/f": "3" })
        yield* overlay.mkdir("empty")
        const cases: ReadonlyArray<
          readonly [string, Effect.Effect<unknown, { readonly _tag: string; readonly code?: string }>]
        > = [
          ["ENOENT", overlay.readFile("no")],
          ["ENOENT", overlay.stat("d/no")],
          ["ENOTDIR", overlay.stat("g/x")],
          ["EISDIR", overlay.readFile("d")],
          ["EISDIR", overlay.writeFile("d", bytes(""))],
          ["EISDIR", overlay.writeFile("", bytes(""))],
          ["ENOTDIR", overlay.writeFile("g/x", bytes(""))],
          ["ENOTDIR", overlay.readdir("g")],
          ["EINVAL", overlay.readlink("g")],
          ["EEXIST", overlay.mkdir("d")],
          ["EEXIST", overlay.mkdir("g", { recursive: true })],
          ["ENOENT", overlay.mkdir("x/y")],
          ["fine", overlay.mkdir("d", { recursive: true })],
          ["fine", overlay.mkdir("x/y", { recursive: true })],
          ["ENOTEMPTY", overlay.remove("d")],
          ["ENOENT", overlay.remove("no")],
          ["fine", overlay.remove("no", { force: true })],
          ["fine", overlay.remove("g/no", { force: true })],
          ["EINVAL", overlay.remove("", { recursive: true })],
          ["fine", overlay.remove("x", { recursive: true })],
          ["ENOENT", overlay.rename("no", "z")],
          ["ENOENT", overlay.rename("g", "no/z")],
          ["EINVAL", overlay.rename("d", "d/e")],
          ["EISDIR", overlay.rename("g", "d")],
          ["ENOTDIR", overlay.rename("d", "g")],
          ["ENOTEMPTY", overlay.rename("d", "e")],
          ["fine", overlay.rename("g", "g")],
          ["fine", overlay.rename("d", "empty")],
          ["EEXIST", overlay.symlink("a", "g")],
          ["ENOENT", overlay.symlink("a", "no/l")],
          ["refused", overlay.symlink("", "l")],
          ["ENOENT", overlay.chmod("no", true)],
          ["fine", overlay.chmod("e", true)]
        ]
        for (const [index, [expected, effect]] of cases.entries()) {
          assert.strictEqual(yield* outcome(effect), expected, `case ${index}`)
        }
        assert.deepStrictEqual(overlay.paths(), ["e/f", "empty/f", "g"])
        assert.deepStrictEqual(overlay.emptyDirectories(), [])
        yield* overlay.remove("e/f")
        assert.deepStrictEqual(overlay.emptyDirectories(), ["e"])
      })
    )

    it.effect("follows links inside only", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const id = fresh()
        const first = yield* workspaces.open(id, undefined)
        yield* write(first, { "d/e/f": "1" })
        const links = {
          in: "d/e",
          up: "d/../d/e/f",
          out: "../x",
          far: "d/../../etc",
          abs: "/etc/passwd",
          loop: "loop2",
          loop2: "loop",
          gone: "d/new"
        }
        for (const [path, target] of Object.entries(links)) yield* first.symlink(target, path)
        const tree = yield* workspaces.save(id, first)
        for (const overlay of [first, yield* workspaces.open(id, tree)]) {
          assert.strictEqual(text(yield* overlay.readFile("in/f")), "1")
          assert.strictEqual(text(yield* overlay.readFile("up")), "1")
          assert.deepStrictEqual(yield* overlay.readdir("in"), [{ path: "in/f", kind: "file" }])
          assert.strictEqual(yield* overlay.readlink("abs"), "/etc/passwd")
          assert.strictEqual((yield* overlay.lstat("up")).size, 10)
          for (const path of ["out", "far", "abs", "abs/x"]) {
            assert.strictEqual(yield* outcome(overlay.stat(path)), "refused", path)
            assert.strictEqual(yield* outcome(overlay.writeFile(path, bytes("x"))), "refused", path)
          }
          assert.strictEqual(yield* outcome(overlay.stat("loop")), "ELOOP")
          assert.strictEqual(yield* outcome(overlay.stat("gone")), "ENOENT")
          yield* overlay.writeFile("gone", bytes("made"))
          assert.strictEqual(text(yield* overlay.readFile("d/new")), "made")
          yield* overlay.writeFile("in/g", bytes("2"))
          yield* overlay.remove("in")
          assert.deepStrictEqual(
            (yield* overlay.readdir("d/e")).map(({ path }) => path),
            ["d/e/f", "d/e/g"]
          )
        }
      })
    )

    it.effect("comes back to a savepoint", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const id = fresh()
        const overlay = yield* workspaces.open(id, yield* saved(id, undefined, { "a/b": "1", c: "1" }))
        yield* overlay.writeFile("a/b", bytes("2"))
        const back = yield* overlay.savepoint()
        yield* overlay.remove("a", { recursive: true })
        yield* overlay.writeFile("c", bytes("2"))
        const deeper = yield* overlay.savepoint()
        yield* overlay.writeFile("d", bytes("2"))
        yield* workspaces.save(id, overlay)
        yield* deeper
        assert.deepStrictEqual(overlay.paths(), ["c"])
        yield* back
        assert.deepStrictEqual(yield* overlay.changes(), [{ path: "a/b", status: "modified" }])
        yield* overlay.writeFile("a/b", bytes("1"))
        assert.deepStrictEqual(yield* overlay.changes(), [])
        yield* back
        assert.strictEqual(text(yield* overlay.readFile("a/b")), "2")
        const tree = yield* workspaces.save(id, overlay)
        assert.strictEqual(text((yield* workspaces.readFile(id, tree, "a/b"))!.bytes), "2")
      })
    )

    it.effect("keeps its bytes to itself", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const overlay = yield* workspaces.open(fresh(), undefined)
        const mine = bytes("abc")
        yield* overlay.writeFile("x", mine)
        mine.fill(0)
        ;(yield* overlay.readFile("x")).fill(0)
        assert.strictEqual(text(yield* overlay.readFile("x")), "abc")
      })
    )

    it.effect("refuses hostile names however they come in", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const overlay = yield* workspaces.open(fresh(), undefined)
        yield* write(overlay, { "d/f": "1", mods: "[core\n" })
        for (const path of [
          "../x",
          "/x",
          "a//b",
          "a\0",
          "a\\b",
          ".git/config",
          "d/.GIT",
          "git~1",
          ".g\u200cit",
          ".git::$INDEX_ALLOCATION",
          "\ud800"
        ]) {
          const tries: ReadonlyArray<Effect.Effect<unknown, OverlayError>> = [
            overlay.writeFile(path, bytes("")),
            overlay.mkdir(path, { recursive: true }),
            overlay.rename("d/f", path),
            overlay.symlink("d/f", path),
            overlay.stat(path),
            overlay.readFile(path)
          ]
          for (const effect of tries) assert.strictEqual(yield* outcome(effect), "refused", path)
        }
        yield* overlay.symlink("d/f", "l")
        assert.strictEqual(yield* outcome(overlay.rename("l", ".gitmodules")), "refused")
        assert.strictEqual(yield* outcome(overlay.rename("mods", ".gitmodules")), "refused")
        assert.strictEqual(yield* outcome(overlay.rename("d", ".gitmodules")), "refused")
        assert.strictEqual(yield* outcome(overlay.writeFile(".gitmodules/x", bytes(""))), "refused")
        // a link can't bring a name in either
        yield* overlay.symlink(".git/config", "sneaky")
        assert.strictEqual(yield* outcome(overlay.writeFile("sneaky", bytes(""))), "refused")
        const deep = `${"x".repeat(200)}/`.repeat(19)
        yield* overlay.writeFile(`${deep}f`, bytes(""))
        assert.strictEqual(yield* outcome(overlay.rename("x".repeat(200), "y".repeat(255))), "fine")
        yield* overlay.mkdir("z".repeat(250))
        const tooLong = `${"z".repeat(250)}/${"y".repeat(255)}`
        assert.strictEqual(yield* outcome(overlay.rename("y".repeat(255), tooLong)), "refused")
        assert.deepStrictEqual(
          overlay.paths().filter((path) => path.includes("git")),
          []
        )
      })
    )
  })
