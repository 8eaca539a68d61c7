import { Layer, Stream } from "effect"
import { beginningOf } from "#domain/text/beginningOf.ts"
import { withoutEnd } from "#domain/text/withoutEnd.ts"
import { ArchiveRefused, Archives } from "#ports/Archives.ts"
import { Bounded } from "./Bounded.ts"
import { tarEntries } from "./tar.ts"
import { zipEntries } from "./zip.ts"

const begins = (archive: Uint8Array, ...bytes: ReadonlyArray<number>): boolean =>
  bytes.every((byte, index) => archive[index] === byte)

/** Whether bytes are a tar of our time, which says so. */
const isTar = (archive: Uint8Array): boolean => Buffer.from(archive.subarray(257, 262)).toString("latin1") === "ustar"

/** Characters of an error's message that are told. */
const mostTold = 300
const told = (error: unknown): string => withoutEnd(beginningOf(String((error as Error).message), mostTold), ".")

/** Archives are told apart by their first bytes, not by what is said of them. */
export const layer = Layer.succeed(Archives, {
  entries: (archive, bounds) =>
    Stream.suspend(() => {
      const bounded = new Bounded(bounds)
      if (begins(archive, 0x50, 0x4b)) {
        return Stream.fromAsyncIterable(zipEntries(archive, bounded), (error) =>
          error instanceof ArchiveRefused
            ? error
            : // what the library says of names and sizes; it quotes the archive
              new ArchiveRefused({ path: null, message: `The zip can't be read: ${told(error)}.` })
        )
      }
      const compressed = begins(archive, 0x1f, 0x8b)
      if (compressed || isTar(archive)) return tarEntries(archive, compressed, bounded, bounds.bytes)
      const message = "The body is neither a zip nor a tar (with gzip or without)."
      return Stream.fail(new ArchiveRefused({ path: null, message }))
    })
})
