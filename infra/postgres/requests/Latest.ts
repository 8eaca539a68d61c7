import { LRUCache } from "lru-cache"
import { hasReached, type Position } from "#engine/Position.ts"
import type { Append, Appended } from "#engine/ports/EventStore.ts"
import { atMost } from "#ports/CountedCache.ts"
import type { KnownRequest } from "#ports/Requests.ts"

type Written = Omit<KnownRequest, "delivered">

/**
 * Requests that this process has written and the table may not have yet, by digest: one that is repeated right away is
 * found without waiting.
 */
export class Latest {
  readonly #written = new Map<string, { readonly known: Written; readonly position: Position }>()
  /** The `n` of requests that the table has by now, so that a further command of one is not taken for its first. */
  readonly #had = new LRUCache<string, number>(atMost(4_096))

  /** Takes in an append's requests, except those that the table has: all up to `reached`. */
  note({ stream, commands }: Append, { positions, recordedAt, before }: Appended, reached: Position): void {
    // the log had these commands already, and they were noted when they came
    if (before !== undefined) return
    for (const [index, { request }] of commands.entries()) {
      const position = positions[index]!
      if (request === null || hasReached(reached, position)) continue
      const { digest, n, fingerprint } = request
      // of several commands that one request led to, only the first counts
      if ((this.#written.get(digest)?.known.n ?? this.#had.get(digest) ?? -1) >= n) continue
      this.#written.set(digest, { known: { n, fingerprint, stream, recordedAt }, position })
    }
  }

  find(digest: string): Written | undefined {
    return this.#written.get(digest)?.known
  }

  /** Forgets what the table has by now. */
  forget(reached: Position): void {
    for (const [digest, { known, position }] of this.#written) {
      if (!hasReached(reached, position)) continue
      this.#written.delete(digest)
      this.#had.set(digest, known.n)
    }
  }
}
