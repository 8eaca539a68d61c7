import { Clock, Effect } from "effect"
import { directory, type Entry, file, symlink } from "effect/encoding/Tar"
import type { DirectoryEntry, Overlay } from "#ports/WorkspaceStore.ts"
import { archive, modes } from "./archive.ts"
import { differ, hashOf, type Mirror, nameOf, topmost } from "./Mirror.ts"
import type { Mounts } from "./Mounts.ts"

/** Bytes, and entries, that are put down at once. */
const batchBytes = 4 * 1024 * 1024
const batchItems = 2_000

/** Everything in the Overlay, a folder before what it holds. */
const everything = Effect.fnUntraced(function* (overlay: Overlay) {
  const all: Array<DirectoryEntry> = []
  const folders = [""]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = yield* overlay.readdir(folder)
    all.push(...entries)
    folders.push(...entries.filter(({ kind }) => kind === "directory").map(({ path }) => path))
  }
  return all
})

/** Makes the file system equal to the Overlay. Writes only what differs from what `mirror` knows to lie there. */
export const putDown = Effect.fnUntraced(function* (overlay: Overlay, mounts: Mounts, mirror: Mirror) {
  const changed = new Set((yield* overlay.changes()).map(({ path }) => path))
  const wanted = yield* everything(overlay)
  const kinds = new Map(wanted.map(({ path, kind }) => [nameOf(path), kind]))
  const surplus = [...mirror].filter(([name, { kind }]) => !kinds.has(name) || differ(kind, kinds.get(name)!))
  const names = surplus.map(([name]) => name)
  yield* Effect.promise(() => mounts.remove(topmost(names)))
  for (const name of names) mirror.delete(name)

  const mtime = new Date(yield* Clock.currentTimeMillis)
  let items: Array<Entry> = []
  let size = 0
  const flush = Effect.suspend(() => {
    const batch = items
    items = []
    size = 0
    if (batch.length === 0) return Effect.void
    return Effect.flatMap(archive(batch), (bytes) => Effect.promise(() => mounts.put(bytes)))
  })
  for (const { path, kind } of wanted) {
    const name = nameOf(path)
    const known = mirror.get(name)
    if (kind === "directory") {
      if (known !== undefined) continue
      items.push(directory(path, { mode: modes.directory, mtime }))
      mirror.set(name, { kind, content: "", base: false, stamp: undefined })
    } else if (kind === "symlink") {
      const target = yield* overlay.readlink(path)
      if (known?.content === target) continue
      items.push(symlink(path, target, { mode: modes.symlink, mtime }))
      mirror.set(name, { kind, content: target, base: false, stamp: undefined })
    } else {
      const base = !changed.has(path)
      if (known?.kind === kind && known.base && base) continue
      const content = yield* overlay.readFile(path)
      const hash = hashOf(content)
      if (known?.kind === kind && known.content === hash) {
        mirror.set(name, { ...known, base })
        continue
      }
      items.push(file(path, content, { mode: modes[kind], mtime }))
      size += content.length
      mirror.set(name, { kind, content: hash, base, stamp: undefined })
    }
    if (size >= batchBytes || items.length >= batchItems) yield* flush
  }
  yield* flush
}, Effect.orDie)
