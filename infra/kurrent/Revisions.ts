import { LRUCache } from "lru-cache"
import type { Position } from "#engine/Position.ts"

/** The most positions, and the most streams, that are remembered. */
const most = 2_000

/** Revisions of streams as last seen. They save questions, and are never believed without the server's word. */
export class Revisions {
  readonly #at = new LRUCache<string, number>({ max: most })
  readonly #last = new LRUCache<string, number>({ max: most })

  /**
   * The revision of the event at a position: a caller that reads a stream on by positions comes back to where its last
   * page ended.
   */
  at(stream: string, position: Position): number | undefined {
    return this.#at.get(`${position} ${stream}`)
  }

  noteAt(stream: string, position: Position, revision: number): void {
    this.#at.set(`${position} ${stream}`, revision)
  }

  /** The last revision that a stream was seen to have; another process may have appended since. */
  last(stream: string): number | undefined {
    return this.#last.get(stream)
  }

  noteLast(stream: string, revision: number): void {
    this.#last.set(stream, revision)
  }
}
