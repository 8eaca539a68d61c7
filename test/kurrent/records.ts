import { createHash } from "node:crypto"

/** An event as the double has it: positions are places of bytes in its log, as a server's are. */
export interface Record {
  readonly position: number
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
  /** Milliseconds since the epoch. */
  readonly created: number
}

export type Proposed = Pick<Record, "id" | "type" | "contentType" | "data" | "metadata">

export type Expected = number | "no_stream" | "any" | "stream_exists"

export type Verdict =
  /** Of an append that was made before, and whose last event can't be read any more, no position. */
  | { readonly appended: ReadonlyArray<Record>; readonly revision: number; readonly position: number | undefined }
  /** -1: no stream. */
  | { readonly actual: number }

/**
 * A server remembers ids of this many events for appends that expect nothing of their stream; it keeps megabytes of
 * them.
 */
const remembered = 100_000

/** Bytes in the log: a record's frame, its stream's name and type, and what it holds. */
const sizeOf = (stream: string, { type, data, metadata }: Proposed): number =>
  96 + stream.length + type.length + data.length + metadata.length

/**
 * What the server's source says of its log (`IndexWriter.CheckCommit` of EventStoreDB 23.10.6 and KurrentDB 26.1):
 * streams and their revisions, expected ones, and when an append counts as one that was made before.
 */
export class Records {
  readonly all: Array<Record> = []
  readonly #streams = new Map<string, Array<Record>>()
  readonly #recent = new Map<string, Record>()
  /** The first record of a server's log is not at 0 either. */
  #end = 1_234
  now: () => number = Date.now
  /** Where records were, before a scavenge. */
  readonly #scavenged = new Set<number>()
  readonly #waiting = new Set<() => void>()

  /** Until something was appended, or `wake` called. */
  readonly more = (): Promise<void> => new Promise((wake) => void this.#waiting.add(wake))

  wake(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  stream(name: string): ReadonlyArray<Record> {
    return this.#streams.get(name) ?? []
  }

  /** What a reader of the stream gets of it: `$maxAge` hides what is older, also before a scavenge. */
  readable(name: string): ReadonlyArray<Record> {
    const age = this.maxAge(name)
    const all = this.stream(name)
    return age === undefined ? all : all.filter(({ created }) => created > this.now() - age * 1_000)
  }

  /** Seconds. */
  maxAge(name: string): number | undefined {
    const last = this.stream(`$$${name}`).at(-1)
    if (last === undefined) return undefined
    return (JSON.parse(Buffer.from(last.data).toString()) as { readonly $maxAge?: number }).$maxAge
  }

  /** Takes away what nobody can read any more, but for the last event of each stream, as a server does. */
  scavenge(): void {
    for (const [name, all] of this.#streams) {
      const kept = new Set<Record>([...this.readable(name), ...all.slice(-1)])
      for (const { position } of all.filter((record) => !kept.has(record))) this.#scavenged.add(position)
      this.#streams.set(
        name,
        all.filter((record) => kept.has(record))
      )
    }
    this.all.splice(0, this.all.length, ...this.all.filter(({ position }) => !this.#scavenged.has(position)))
  }

  /** Cuts off what came after a number of records, as a backup does that is older. */
  restore(length: number): void {
    for (const { stream, id } of this.all.splice(length)) {
      this.#streams.get(stream)!.pop()
      this.#recent.delete(`${stream} ${id}`)
    }
    this.#end = this.behind(this.all.length - 1)
  }

  append(stream: string, expected: Expected, events: ReadonlyArray<Proposed>): Verdict {
    const current = this.stream(stream)
    const actual = current.at(-1)?.revision ?? -1
    const at = (revision: number) => current[revision - current[0]!.revision]
    const weak = expected === "any" || expected === "stream_exists"
    if (expected === "stream_exists" && actual < 0) return { actual }
    if (weak) {
      const known = events.map(({ id }) => this.#recent.get(`${stream} ${id}`))
      if (events.length > 0 && known.every((record) => record !== undefined)) return this.#before(known.at(-1)!)
      // some of them and not the others: the server calls it corrupted idempotency, and answers with the wrong version
      if (known[0] !== undefined) return { actual }
      return this.#write(stream, actual, events)
    }
    const after = expected === "no_stream" ? -1 : expected
    if (after < actual) {
      const there = events.map(({ id }, index) => at(after + 1 + index)?.id === id)
      if (events.length > 0 && there.every(Boolean)) return this.#before(at(after + events.length)!)
      return { actual }
    }
    return after > actual ? { actual } : this.#write(stream, actual, events)
  }

  #before(record: Record): Verdict {
    const { stream, revision, position } = record
    return { appended: [], revision, position: this.readable(stream).includes(record) ? position : undefined }
  }

  #write(stream: string, actual: number, events: ReadonlyArray<Proposed>): Verdict {
    const appended = events.map((event, index): Record => {
      const position = this.#end
      this.#end += sizeOf(stream, event)
      return { ...event, stream, revision: actual + 1 + index, position, created: this.now() }
    })
    this.all.push(...appended)
    const list = this.#streams.get(stream)
    if (list === undefined) this.#streams.set(stream, [...appended])
    else list.push(...appended)
    this.wake()
    for (const record of appended) this.#recent.set(`${stream} ${record.id}`, record)
    for (const name of this.#recent.keys()) {
      if (this.#recent.size <= remembered) break
      this.#recent.delete(name)
    }
    // "not technically correct, but matches current behaviour" says the server of the position that it answers with: of
    // no event
    return { appended, revision: actual + events.length, position: this.#end - 1 }
  }

  /** Index of the first record at a position or behind it. */
  from(position: number): number {
    let [low, high] = [0, this.all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.all[middle]!.position < position) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Where the record after this one begins; of none before the first, where the log does. */
  behind(index: number): number {
    const record = this.all[index]
    return record === undefined ? 0 : record.position + sizeOf(record.stream, record)
  }

  /**
   * Whether a server reads from there: not from within a record. What lies behind the end is nothing, and what was
   * scavenged was there.
   */
  isPlace(position: number): boolean {
    const index = this.from(position)
    return (
      position === 0 ||
      position >= this.#end ||
      this.all[index]?.position === position ||
      this.#scavenged.has(position) ||
      this.behind(index - 1) === position
    )
  }

  /** Of everything in it, to see that nothing changed. */
  digest(): string {
    const hash = createHash("sha256")
    for (const { id, stream, revision } of this.all) hash.update(`${id} ${stream} ${revision}\n`)
    return hash.digest("hex")
  }
}
