/** A job that waits or is at work. */
export interface Waiting {
  /** For whom it is done. */
  readonly owner: string
  /** Bytes of its arguments. */
  readonly bytes: number
}

export interface QueueLimits {
  /** Jobs of one owner that may wait, and their bytes. */
  readonly jobs: number
  readonly bytes: number
  /** Bytes of all owners' waiting jobs. */
  readonly allBytes: number
}

/**
 * Jobs in turns: one of each owner after another, and never two of one owner at once. So an owner whose jobs get a
 * worker killed again and again keeps nobody else waiting.
 */
export class Queue<W extends Waiting> {
  readonly #limits: QueueLimits
  /** In the order in which owners have their turn. */
  readonly #waiting = new Map<string, Array<W>>()
  readonly #served = new Set<string>()
  #bytes = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Adds a job if there is room, and tells whether there was. An owner with nothing waiting always has room. */
  add(job: W): boolean {
    const own = this.#waiting.get(job.owner) ?? []
    const ownBytes = own.reduce((sum, { bytes }) => sum + bytes, job.bytes)
    const { jobs, bytes, allBytes } = this.#limits
    if (own.length > 0 && (own.length >= jobs || ownBytes > bytes || this.#bytes + job.bytes > allBytes)) return false
    own.push(job)
    this.#waiting.set(job.owner, own)
    this.#bytes += job.bytes
    return true
  }

  /** The next job that may begin; its owner's others wait until it is `finished`. */
  take(): W | undefined {
    for (const [owner, own] of this.#waiting) {
      if (this.#served.has(owner)) continue
      const job = own[0]!
      this.remove(job)
      // all other owners have their turn first
      const rest = this.#waiting.get(owner)
      this.#waiting.delete(owner)
      if (rest !== undefined) this.#waiting.set(owner, rest)
      this.#served.add(owner)
      return job
    }
    return undefined
  }

  /** Whether a job could begin. */
  hasNext(): boolean {
    return [...this.#waiting.keys()].some((owner) => !this.#served.has(owner))
  }

  finished({ owner }: W): void {
    this.#served.delete(owner)
  }

  /** Takes out a job that nobody waits for any more; nothing happens when it is not here. */
  remove(job: W): void {
    const own = this.#waiting.get(job.owner)
    const at = own?.indexOf(job) ?? -1
    if (own === undefined || at < 0) return
    own.splice(at, 1)
    if (own.length === 0) this.#waiting.delete(job.owner)
    this.#bytes -= job.bytes
  }
}
