import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { Effect, Stream } from "effect"
import { decode, type Entry, type Header } from "effect/encoding/Tar"
import { type ArchivedEntry, ArchiveRefused } from "#ports/Archives.ts"
import type { Bounded } from "./Bounded.ts"

/** Bytes that are taken in at once. */
const piece = 65_536
/** Bytes that the tar itself may have for each byte of its files: headers and padding are not counted. */
const aroundEach = 2

const broken = (message: string) => new ArchiveRefused({ path: null, message })

const refusedOr = (message: string) => (error: unknown) => (error instanceof ArchiveRefused ? error : broken(message))

const pieces = function* (bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
}

/** The unpacked bytes of a gzip, as they come. Fails past `most` bytes. */
const gunzipped = (archive: Uint8Array, most: number): Stream.Stream<Uint8Array, ArchiveRefused> => {
  const read = async function* () {
    const gunzip = createGunzip()
    const source = Readable.from(pieces(archive))
    source.on("error", () => {})
    try {
      let bytes = 0
      for await (const chunk of source.pipe(gunzip) as AsyncIterable<Uint8Array>) {
        bytes += chunk.length
        if (bytes > most) throw broken("The archive does not end where what may be in it would.")
        yield chunk
      }
    } finally {
      source.destroy()
      gunzip.destroy()
    }
  }
  return Stream.suspend(() => Stream.fromAsyncIterable(read(), refusedOr("The archive is no gzip, or is cut off.")))
}

const kindOf = ({ type, mode, path }: Header): ArchivedEntry["kind"] => {
  if (type === "Directory") return "directory"
  if (type === "Symlink") return "symlink"
  if (type === "File") return (mode & 0o100) === 0 ? "file" : "executable"
  const message =
    type === "Hardlink"
      ? "It is a hard link, which no workspace has. Give tar --hard-dereference."
      : "It is a device or a pipe, which no workspace has."
  throw new ArchiveRefused({ path, message })
}

const read = (bounded: Bounded) =>
  Effect.fnUntraced(function* ({ header, body }: Entry<unknown>) {
    const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: refusedOr("The archive can't be read.") })
    const kind = yield* attempt(() => {
      bounded.entry(header.size)
      return kindOf(header)
    })
    const chunks = yield* Stream.runCollect(Stream.tap(body, (chunk) => attempt(() => bounded.take(chunk.length))))
    const bytes = kind === "symlink" ? Buffer.from(header.linkTarget ?? "") : Buffer.concat(chunks)
    const entry: ArchivedEntry = { path: header.path, kind, bytes }
    return entry
  })

/** The entries of a tar, `compressed` or not. */
export const tarEntries = (archive: Uint8Array, compressed: boolean, bounded: Bounded, most: number) => {
  const bytes = compressed ? gunzipped(archive, most * aroundEach) : Stream.fromIterable(pieces(archive))
  return bytes.pipe(
    Stream.pipeThroughChannel(decode()),
    Stream.mapEffect(read(bounded)),
    Stream.mapError(refusedOr("The archive is no tar, or is cut off."))
  )
}
