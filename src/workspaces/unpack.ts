import { posix } from "node:path"
import { Effect, Stream } from "effect"
import { type ArchivedEntry, type ArchiveRefused, Archives } from "#ports/Archives.ts"
import type { Overlay, OverlayError } from "#ports/WorkspaceStore.ts"
import { archiveBounds, placeOf, refused } from "./archived.ts"
import { put, throughFolders } from "./change.ts"

const place = (overlay: Overlay, folder: string) =>
  Effect.fnUntraced(function* (entry: ArchivedEntry) {
    const path = yield* placeOf(entry, folder)
    if (path === undefined || entry.kind === "directory") return
    if (entry.kind !== "symlink") return yield* put(path, entry.bytes, entry.kind === "executable")(overlay)
    yield* throughFolders(overlay, path)
    yield* overlay.remove(path, { force: true })
    const parent = posix.dirname(path)
    if (parent !== ".") yield* overlay.mkdir(parent, { recursive: true })
    yield* overlay.symlink(Buffer.from(entry.bytes).toString(), path)
  })

const told = (entry: ArchivedEntry, error: OverlayError | ArchiveRefused) => {
  if (error._tag === "ArchiveRefused" || error._tag === "WorkspaceFull") return error
  const taken = error._tag === "FileError" ? "something else is there, or in its way" : error.message
  return refused(entry.path, `It can't be put there: ${taken}.`)
}

/** Removes a folder with all that is in it; of the root (`""`), only what is in it. */
const empty = Effect.fnUntraced(function* (overlay: Overlay, folder: string) {
  if (folder !== "") {
    yield* throughFolders(overlay, folder)
    return yield* overlay.remove(folder, { recursive: true, force: true })
  }
  for (const { path } of yield* overlay.readdir("")) yield* overlay.remove(path, { recursive: true })
})

/**
 * Puts entries into a folder of a workspace (`""`: its root), over what is there, or with `instead` in place of it.
 * Fails as `unpack` does.
 */
export const putEntries = (entries: Stream.Stream<ArchivedEntry, ArchiveRefused>, folder: string, instead: boolean) =>
  Effect.fnUntraced(function* (overlay: Overlay) {
    if (instead) yield* empty(overlay, folder)
    yield* Stream.runForEach(entries, (entry) =>
      Effect.mapError(place(overlay, folder)(entry), (error) => told(entry, error))
    )
  })

/**
 * Unpacks an archive into a folder of a workspace (`""`: its root), over what is there, or with `instead` in place of
 * it. Writes nothing through a link or outside. Fails with `ArchiveRefused` at the first entry that can't be put there.
 */
export const unpack = (archive: Uint8Array, folder: string, instead: boolean) =>
  Effect.map(Archives, ({ entries }) => putEntries(entries(archive, archiveBounds), folder, instead))
