import { thousands } from "#domain/text/thousands.ts"
import { type ArchiveBounds, ArchiveRefused } from "#ports/Archives.ts"

const mebibyte = 1024 * 1024

/** Counts what comes out of an archive. */
export class Bounded {
  readonly #bounds: ArchiveBounds
  #bytes = 0
  #entries = 0

  constructor(bounds: ArchiveBounds) {
    this.#bounds = bounds
  }

  /** Counts an entry that claims to have `size` bytes; throws when there are too many entries or bytes. */
  entry(size: number): void {
    this.#entries += 1
    if (this.#entries > this.#bounds.entries) {
      const most = thousands(this.#bounds.entries)
      throw new ArchiveRefused({ path: null, message: `The archive has more than ${most} entries.` })
    }
    if (this.#bytes + size > this.#bounds.bytes) throw this.#tooLarge()
  }

  /** Counts bytes that have come out; throws when they are too many. */
  take(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#bounds.bytes) throw this.#tooLarge()
  }

  #tooLarge(): ArchiveRefused {
    const most = this.#bounds.bytes / mebibyte
    return new ArchiveRefused({ path: null, message: `The archive has more than ${most} MiB unpacked.` })
  }
}
