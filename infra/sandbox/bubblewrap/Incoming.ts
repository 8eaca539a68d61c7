import type { Readable } from "node:stream"

/** Bytes of a pipe that may wait to be taken. Past this many, the pipe waits too. */
const mostWaiting = 8 * 1024 * 1024

/** The read side of a pipe, taken piece by piece. Once the pipe has ended, or was ended here, every `take` fails. */
export class Incoming {
  readonly #stream: Readable
  #chunks: Array<Buffer> = []
  #size = 0
  #wanted = 1
  #wake: (() => void) | undefined
  #ended = false

  constructor(stream: Readable) {
    this.#stream = stream
    stream.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#size += chunk.length
      if (this.#size >= this.#wanted) this.#wake?.()
      if (this.#size >= Math.max(mostWaiting, this.#wanted)) stream.pause()
    })
    for (const event of ["end", "close", "error"]) stream.once(event, () => this.end())
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async #wait(size: number): Promise<void> {
    this.#wanted = size
    while (this.#size < size) {
      if (this.#ended) throw new Error("the pipe has ended")
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      this.#stream.resume()
      await promise
    }
  }

  async take(size: number): Promise<Buffer> {
    await this.#wait(size)
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    const rest = all.subarray(size)
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#size = rest.length
    return all.subarray(0, size)
  }

  /** All up to `end`, without it; `end` must be the last in the pipe. Only for answers that nothing follows unasked. */
  async takeUntil(end: string, most: number): Promise<string> {
    const chunks: Array<Buffer> = []
    let size = 0
    for (;;) {
      await this.#wait(1)
      const chunk = await this.take(this.#size)
      chunks.push(chunk)
      size += chunk.length
      const last = chunk.length >= end.length ? chunk : Buffer.concat(chunks.splice(-end.length - 1))
      if (last !== chunk) chunks.push(last)
      if (last.subarray(-end.length).toString("latin1") === end) {
        return Buffer.concat(chunks).toString("latin1", 0, size - end.length)
      }
      if (size > most) throw new Error("there is too much in the pipe")
    }
  }
}
