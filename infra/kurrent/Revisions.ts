import { LRUCache } from "lru-cache"
import type { Position } from "#engine/Position.ts"

/** Places, and streams, that are remembered. */
const most = 2_000

/** What was seen of where streams are: it saves asking, and is never believed without a server's word. */
export class Revisions {
  readonly #at = new LRUCache<string, number>({ max: most })
  readonly #last = new LRUCache<string, number>({ max: most })

  /**
   * The revision that is at a position: who reads a stream on by positions comes back to the one that their page ended
   * with.
   */
  at(stream: string, position: Position): number | undefined {
    return this.#at.get(`${position} ${stream}`)
  }

  noteAt(stream: string, position: Position, revision: number): void {
    this.#at.set(`${position} ${stream}`, revision)
  }

  /** The last one that a stream was seen to have; another process may have gone on. */
  last(stream: string): number | undefined {
    return this.#last.get(stream)
  }

  noteLast(stream: string, revision: number): void {
    this.#last.set(stream, revision)
  }
}
