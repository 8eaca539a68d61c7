import { Context, Schema, type Stream } from "effect"

/** What an archive has at a path: of a link, `bytes` are its target; of a directory there are none. */
export interface ArchivedEntry {
  /** As the archive says it: any text. */
  readonly path: string
  readonly kind: "file" | "executable" | "symlink" | "directory"
  readonly bytes: Uint8Array
}

/** What an archive may become. */
export interface ArchiveBounds {
  /** Of all that is in it, unpacked. */
  readonly bytes: number
  readonly entries: number
}

/** Why an archive can't be unpacked, fit for its sender to read. `path`: of the entry at fault, where it is one's. */
export class ArchiveRefused extends Schema.TaggedError<ArchiveRefused>()("ArchiveRefused", {
  path: Schema.NullOr(Schema.String),
  message: Schema.String
}) {}

/** Reads archives of strangers. */
export class Archives extends Context.Service<
  Archives,
  {
    /**
     * The entries of a zip, a tar, or a tar that is compressed with gzip, in their order, one in memory at a time.
     * Fails as soon as there is more than the bounds say, whatever the archive says of itself.
     */
    readonly entries: (archive: Uint8Array, bounds: ArchiveBounds) => Stream.Stream<ArchivedEntry, ArchiveRefused>
  }
>()("cairn/Archives") {}
