import { posix } from "node:path"
import { Effect, Stream } from "effect"
import { withoutEnd } from "#domain/text/withoutEnd.ts"
import { pathProblem } from "#domain/workspacePath.ts"
import { type ArchivedEntry, ArchiveRefused, Archives } from "#ports/Archives.ts"
import type { Overlay, OverlayError } from "#ports/WorkspaceStore.ts"
import { put, throughFolders } from "./change.ts"

/** What an archive may unpack to: much less than a workspace may hold, as it is in memory until it is stored. */
export const archiveBounds = { bytes: 128 * 1024 * 1024, entries: 10_000 }

/** Characters of an archive's path that are told. */
const mostTold = 300

/** A path of an archive, as a workspace has it; `""`: the archive's root. */
const normal = (path: string): string => withoutEnd(path.replace(/^(?:\.\/+)+/, "").replace(/^\.$/, ""), "/")

/** Whether a link leads out of the workspace, or may: in `name/..`, the name may be a link that leads elsewhere. */
const leadsOut = (path: string, target: string): boolean => {
  const led = posix.normalize(posix.join(posix.dirname(path), target))
  const names = target.split("/").filter((name) => name !== "" && name !== ".")
  const goesBack = names.some((name, at) => name === ".." && at > 0 && names[at - 1] !== "..")
  return target.startsWith("/") || led === ".." || led.startsWith("../") || goesBack
}

const refused = (path: string, problem: string) =>
  new ArchiveRefused({ path: path.slice(0, mostTold).toWellFormed(), message: problem })

const place = (overlay: Overlay, folder: string) =>
  Effect.fnUntraced(function* (entry: ArchivedEntry) {
    const inside = normal(entry.path)
    if (inside === "") return
    const path = folder === "" ? inside : `${folder}/${inside}`
    const problem = pathProblem(path)
    if (problem !== undefined) return yield* refused(entry.path, `Its path can't be: ${problem}.`)
    if (entry.kind === "directory") return
    if (entry.kind !== "symlink") return yield* put(path, entry.bytes, entry.kind === "executable")(overlay)
    const target = Buffer.from(entry.bytes).toString()
    if (leadsOut(path, target)) return yield* refused(entry.path, "It is a link that leads out of the workspace.")
    yield* throughFolders(overlay, path)
    yield* overlay.remove(path, { force: true })
    const parent = posix.dirname(path)
    if (parent !== ".") yield* overlay.mkdir(parent, { recursive: true })
    yield* overlay.symlink(target, path)
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
