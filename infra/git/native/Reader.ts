/** Bytes a millisecond below which a reader is too slow: 16 kB/s. */
const slowest = 16

/** How long the reader of git's output lets it wait. Only that counts: git itself may take as long as it needs. */
export class Reader {
  readonly #patience: number
  #bytes = 0
  /** Milliseconds that the output has waited for its reader, until the reader last asked for more. */
  #waited = 0
  #since: number | undefined

  /** `patience`: seconds that the output may wait, besides those that the bytes taken allow. */
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
