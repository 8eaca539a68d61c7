import fs from "node:fs"
import { afterAll, assert, layer as withLayer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type FileChange, type Overlay, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"
import { fsck, noGit, temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

type Entry =
  | { readonly kind: "directory" }
  | { readonly kind: "file" | "executable" | "symlink"; readonly text: string }
/** The simplest workspace that there is: every path, also each directory's, and what is there. */
type Model = Map<string, Entry>

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")))
const parentsOf = (path: string): Array<string> => {
  const parent = parentOf(path)
  return parent === "" ? [] : [...parentsOf(parent), parent]
}
const below = (model: Model, path: string) => [...model.keys()].filter((other) => other.startsWith(`${path}/`))
const isDirectory = (model: Model, path: string) => path === "" || model.get(path)?.kind === "directory"
const drop = (model: Model, path: string) => {
  for (const other of [path, ...below(model, path)]) model.delete(other)
}
const mayBe = (model: Model, path: string) => parentsOf(path).every((at) => !model.has(at) || isDirectory(model, at))
/** What is at a path or on the way to it is a link: the model doesn't follow it. */
const linked = (model: Model, path: string) =>
  [...parentsOf(path), path].some((at) => model.get(at)?.kind === "symlink")

const names = ["a", "b", "a-b", "a.b"]
const Path = Schema.Array(Schema.Literals(names)).check(Schema.isMinLength(1), Schema.isMaxLength(3))
const Step = Schema.Struct({
  action: Schema.Literals([
    "write",
    "write",
    "write",
    "run",
    "mkdir",
    "remove",
    "rename",
    "link",
    "chmod",
    "save",
    "reopen"
  ]),
  path: Path,
  other: Path,
  text: Schema.Literals(["", "1", "2"])
})
type Step = typeof Step.Type

/** Does a step in the model; `undefined`: it is one that the model can't tell; else whether it must succeed. */
const inModel = (model: Model, { action, path: parts, other: otherParts, text }: Step): boolean | undefined => {
  const [path, other] = [parts.join("/"), otherParts.join("/")]
  if (linked(model, path) && (action !== "remove" || linked(model, parentOf(path)))) return undefined
  const entry = model.get(path)
  const make = (at: string) => {
    for (const parent of parentsOf(at)) model.set(parent, { kind: "directory" })
  }
  switch (action) {
    case "write":
    case "run": {
      if (entry?.kind === "directory" || !mayBe(model, path)) return false
      make(path)
      const kept = entry?.kind === "executable" ? "executable" : "file"
      model.set(path, { kind: action === "run" ? "executable" : kept, text })
      return true
    }
    case "mkdir":
      if ((entry !== undefined && entry.kind !== "directory") || !mayBe(model, path)) return false
      make(path)
      model.set(path, { kind: "directory" })
      return true
    case "remove":
      if (entry === undefined) return false
      drop(model, path)
      return true
    case "link":
      if (entry !== undefined || !isDirectory(model, parentOf(path))) return false
      model.set(path, { kind: "symlink", text: "nowhere" })
      return true
    case "chmod":
      if (entry === undefined) return false
      if (entry.kind === "file") model.set(path, { ...entry, kind: "executable" })
      return true
    case "rename": {
      if (linked(model, other)) return undefined
      const old = model.get(other)
      if (entry === undefined || !isDirectory(model, parentOf(other))) return false
      if (path === other) return true
      if (other.startsWith(`${path}/`)) return false
      if (old !== undefined && (old.kind === "directory") !== (entry.kind === "directory")) return false
      if (old?.kind === "directory" && below(model, other).length > 0) return false
      const moved = [path, ...below(model, path)].map((at) => [other + at.slice(path.length), model.get(at)!] as const)
      drop(model, path)
      for (const [at, node] of moved) model.set(at, node)
      return true
    }
    default:
      return true
  }
}

const inOverlay = (overlay: Overlay, { action, path: parts, other, text }: Step) => {
  const path = parts.join("/")
  const bytes = Buffer.from(text)
  switch (action) {
    case "write":
      return overlay.writeFile(path, bytes)
    case "run":
      return overlay.writeFile(path, bytes, { executable: true })
    case "mkdir":
      return overlay.mkdir(path, { recursive: true })
    case "remove":
      return overlay.remove(path, { recursive: true })
    case "link":
      return overlay.symlink("nowhere", path)
    case "chmod":
      return overlay.chmod(path, true)
    case "rename":
      return overlay.rename(path, other.join("/"))
    default:
      return Effect.void
  }
}

const filesOf = (model: Model): Record<string, string> =>
  Object.fromEntries(
    [...model]
      .flatMap(([path, entry]) => (entry.kind === "directory" ? [] : [[path, `${entry.kind} ${entry.text}`]]))
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a!), Buffer.from(b!)))
  )

const seen = Effect.fnUntraced(function* (overlay: Overlay) {
  const files: Record<string, string> = {}
  for (const path of overlay.paths()) {
    const { kind } = yield* overlay.lstat(path)
    const text = kind === "symlink" ? yield* overlay.readlink(path) : `${Buffer.from(yield* overlay.readFile(path))}`
    files[path] = `${kind} ${text}`
  }
  return files
})

const changesBetween = (before: Record<string, string>, after: Record<string, string>) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((path): FileChange => {
      const status = before[path] === undefined ? "created" : after[path] === undefined ? "deleted" : "modified"
      return { path, status }
    })

let last = 0

withLayer(layer({ directory }))("an overlay and the simplest workspace", (it) => {
  it.effect.prop(
    "agree after whatever is done to them",
    [Schema.Array(Step).check(Schema.isMaxLength(40))],
    ([steps]) =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const id = `model-${++last}`
        const model: Model = new Map()
        let overlay = yield* workspaces.open(id, undefined)
        let base: Record<string, string> = {}
        for (const step of steps) {
          if (step.action === "save") yield* workspaces.save(id, overlay)
          if (step.action === "reopen") {
            overlay = yield* workspaces.open(id, yield* workspaces.save(id, overlay))
            for (const path of [...model.keys()]) {
              // git knows no empty directories
              const empty = ![path, ...below(model, path)].some((at) => model.get(at)?.kind !== "directory")
              if (empty) model.delete(path)
            }
            base = filesOf(model)
          }
          const expected = inModel(model, step)
          if (expected === undefined) continue
          const result = yield* Effect.exit(inOverlay(overlay, step))
          assert.strictEqual(result._tag, expected ? "Success" : "Failure", JSON.stringify(step))
          assert.deepStrictEqual(yield* seen(overlay), filesOf(model))
        }
        assert.deepStrictEqual(yield* overlay.changes(), changesBetween(base, filesOf(model)))
        const empty = [...model.keys()].filter((path) => isDirectory(model, path) && below(model, path).length === 0)
        assert.deepStrictEqual([...overlay.emptyDirectories()].sort(), empty.sort())
        const tree = yield* workspaces.save(id, overlay)
        assert.deepStrictEqual(yield* seen(yield* workspaces.open(id, tree)), filesOf(model))
        if (!noGit && last % 20 === 0) assert.strictEqual(fsck(`${directory}/${id}.git`), "")
      }),
    { arbitrary: { runs: 120, size: 60 }, timeout: 60_000 }
  )
})
