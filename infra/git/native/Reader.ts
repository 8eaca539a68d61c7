/** Bytes a millisecond below which a reader is too slow: 16 kB/s. */
const slowest = 16

/** How long the reader of an output lets it wait. Only that counts: git may think as long as it has to. */
export class Reader {
  readonly #patience: number
  #bytes = 0
  /** Milliseconds that the output has waited, up to the last time that it was asked for more. */
  #waited = 0
  #since: number | undefined

  /** Seconds that it may wait, and as many more as the bytes that were taken allow. */
  constructor(patience: number) {
    this.#patience = patience * 1_000
  }

  async *through(output: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of output) {
      this.given(chunk.length, Date.now())
      yield chunk
      this.asked(Date.now())
    }
  }

  given(bytes: number, now: number): void {
    this.#bytes += bytes
    this.#since = now
  }

  asked(now: number): void {
    this.#waited += now - (this.#since ?? now)
    this.#since = undefined
  }

  tooSlow(now: number): boolean {
    const waited = this.#waited + (this.#since === undefined ? 0 : now - this.#since)
    return waited > this.#patience + this.#bytes / slowest
  }
}
