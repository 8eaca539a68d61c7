import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { Effect, Stream } from "effect"
import { Command } from "effect/cli"
import { directory, type Entry, encode, file, symlink } from "effect/encoding/Tar"
import { type ArchivedEntry, ArchiveRefused, Archives } from "#ports/Archives.ts"
import { archiveBounds, lookThrough, placeOf } from "#src/workspaces/archived.ts"
import { answer } from "../../output.ts"
import { given, idIn, pair } from "../../workspace/naming.ts"
import { checkPath, importFlags, refusalOf, sourceOf } from "../../workspace/source.ts"
import { service } from "../asking.ts"
import { find } from "./which.ts"

/** Bytes of an archive that a service takes, packed. */
const mostPacked = 32 * 1024 * 1024

const entryOf = ({ path, kind, bytes }: ArchivedEntry): Entry => {
  if (kind === "directory") return directory(path)
  if (kind === "symlink") return symlink(path, Buffer.from(bytes).toString())
  return file(path, bytes, { mode: kind === "executable" ? 0o755 : 0o644 })
}

/** A folder as one archive, tar with gzip; gives up when it is larger than the service takes. */
const packed = Effect.fnUntraced(function* (entries: Stream.Stream<ArchivedEntry, ArchiveRefused>) {
  const tar = entries.pipe(Stream.map(entryOf), Stream.pipeThroughChannelOrFail(encode()))
  const source = yield* Stream.toAsyncIterableEffect(tar)
  return yield* Effect.tryPromise({
    try: async (signal) => {
      const gzip = createGzip()
      const chunks: Array<Uint8Array> = []
      let size = 0
      await pipeline(
        source,
        gzip,
        async (packed: AsyncIterable<Uint8Array>) => {
          for await (const chunk of packed) {
            size += chunk.length
            if (size > mostPacked) {
              throw new ArchiveRefused({ path: null, message: "The folder has more than 32 MiB, packed." })
            }
            chunks.push(chunk)
          }
        },
        { signal }
      )
      return new Uint8Array(Buffer.concat(chunks))
    },
    catch: (error) =>
      error instanceof ArchiveRefused
        ? error
        : new ArchiveRefused({ path: null, message: `The folder can't be packed: ${(error as Error).message}` })
  })
})

/** Fails if an archive can't be unpacked into any workspace. What reads archives is loaded for that only. */
const lookInto = Effect.fnUntraced(function* (archive: Uint8Array, folder: string) {
  const { archives } = yield* Effect.promise(() => import("#src/layers.ts"))
  const { entries } = yield* Effect.provide(Archives, archives)
  yield* lookThrough(entries(archive, archiveBounds), folder)
})

export const importing = Command.make("import", { ...importFlags, ...pair }, ({ names, path, replace, ...named }) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const which = { ...named, id: idIn(names) }
    const meant = yield* given(which)
    yield* checkPath(path)
    const source = yield* sourceOf(names.at(-1)!)
    const archive =
      source.entries === undefined
        ? source.archive
        : yield* packed(Stream.tap(source.entries, (entry) => placeOf(entry, path)))
    // the service looks, too, but only once the pair has a workspace
    if (source.entries === undefined && typeof meant !== "string") yield* lookInto(archive, path)
    const id =
      typeof meant === "string"
        ? (yield* find(ask, which)).workspace_id
        : (yield* ask((cairn, options) => cairn.workspaces.open(meant, options))).data.workspaceId
    const into = { path: path === "" ? undefined : path, replace }
    const { data, wire } = yield* ask((cairn, options) => cairn.workspaces.unpack(id, archive, into, options))
    const { commit, created, modified, deleted } = data
    yield* answer({ ...wire, workspace_id: id }, () => [
      `${commit}: ${created} created, ${modified} modified, ${deleted} deleted in ${id}.`
    ])
  }).pipe(Effect.catchTag("ArchiveRefused", (error) => Effect.fail(refusalOf(error))))
).pipe(Command.withDescription("Put the files of a folder or an archive into a workspace, as one commit"))
