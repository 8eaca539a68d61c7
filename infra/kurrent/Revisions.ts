import type { Position } from "#engine/Position.ts"

/** Places, and streams, that are remembered. */
const most = 2_000

const remember = <V>(known: Map<string, V>, name: string, value: V): void => {
  known.delete(name)
  known.set(name, value)
  if (known.size > most) known.delete(known.keys().next().value!)
}

/** What was seen of where streams are: it saves asking, and is never believed without a server's word. */
export class Revisions {
  readonly #at = new Map<string, number>()
  readonly #last = new Map<string, number>()

  /** The revision that is at a position: who reads a stream on by positions comes back to the one that their page ended with. */
  at(stream: string, position: Position): number | undefined {
    return this.#at.get(`${position} ${stream}`)
  }

  noteAt(stream: string, position: Position, revision: number): void {
    remember(this.#at, `${position} ${stream}`, revision)
  }

  /** The last one that a stream was seen to have; another process may have gone on. */
  last(stream: string): number | undefined {
    return this.#last.get(stream)
  }

  noteLast(stream: string, revision: number): void {
    remember(this.#last, stream, revision)
  }
}
