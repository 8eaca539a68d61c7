import { Context, Schema, type Stream } from "effect"

/** What an archive has at a path. For a link, `bytes` are its target; for a directory there are none. */
export interface ArchivedEntry {
  /** As the archive says it: any text. */
  readonly path: string
  readonly kind: "file" | "executable" | "symlink" | "directory"
  readonly bytes: Uint8Array
}

/** How much an archive may unpack to. */
export interface ArchiveBounds {
  /** Of all entries together, unpacked. */
  readonly bytes: number
  readonly entries: number
}

/** Why an archive can't be unpacked, fit for its sender to read. `path`: of the entry at fault, if there is one. */
export class ArchiveRefused extends Schema.TaggedError<ArchiveRefused>()("ArchiveRefused", {
  path: Schema.NullOr(Schema.String),
  message: Schema.String
}) {}

/** Reads archives of strangers. */
export class Archives extends Context.Service<
  Archives,
  {
    /**
     * The entries of a zip, a tar, or a gzipped tar, in their order, one in memory at a time. Fails as soon as they
     * exceed the bounds, whatever the archive says of itself.
     */
    readonly entries: (archive: Uint8Array, bounds: ArchiveBounds) => Stream.Stream<ArchivedEntry, ArchiveRefused>
  }
>()("cairn/Archives") {}
