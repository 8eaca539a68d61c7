import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import { beginning, hasReached, isAfter, type Position } from "#engine/Position.ts"
import { saltedDigest } from "#engine/saltedDigest.ts"
import type { LogIntake, LogSource, WholeEvent } from "#ports/LogCopy.ts"
import type { CopyProgress } from "./bring.ts"

type Log = LogSource["Service"]

/** The result of comparing two logs. */
export interface Compared {
  readonly events: number
  readonly texts: number
  /** Events whose text was erased. */
  readonly erased: number
  /** Events that differ or that one log lacks; `first` describes some of them, a line each. */
  readonly differing: number
  readonly first: ReadonlyArray<string>
  /** Where the source and the copy end. */
  readonly source: Position
  readonly target: Position
  /** Where the source's checkpoints are in the copy. */
  readonly checkpoints: ReadonlyMap<string, Position>
}

const told = 20

const sameBytes = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0

const oneHasNone = "text (one has none)"

/** What two events differ in. Positions and digests of rows count only if both engines count alike. */
const differenceOf = (
  { text, digest, position, ...one }: WholeEvent,
  { text: otherText, digest: otherDigest, position: otherPosition, ...other }: WholeEvent,
  alike: boolean
): string | undefined => {
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof typeof one>
  for (const field of fields) if (!isDeepStrictEqual(one[field], other[field])) return field
  if (alike && position !== otherPosition) return "position"
  if (alike && !sameBytes(digest, otherDigest)) return "digest"
  if (text === null || otherText === null) return text === otherText ? undefined : oneHasNone
  const same =
    text.subject === otherText.subject && sameBytes(text.salt, otherText.salt) && sameBytes(text.bytes, otherText.bytes)
  return same ? undefined : "text"
}

/** Whether an event's text is the one that the event has a digest of. */
const isOwnText = ({ data, text }: WholeEvent): boolean =>
  text === null || (JSON.parse(data) as { readonly text?: unknown }).text === saltedDigest(text.salt, text.bytes)

/** The events of a log one by one; one page at a time is in memory. */
class Walk {
  #page: ReadonlyArray<WholeEvent> = []
  #next = 0
  #more = true
  at = beginning
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** The next event up to a position; `undefined` at its end. */
  next(to: Position) {
    const step: Effect.Effect<WholeEvent | undefined, Effect.Error<ReturnType<Log["page"]>>> = Effect.suspend(() => {
      const event = this.#page[this.#next]
      if (event !== undefined) {
        if (isAfter(event.position, to)) return Effect.undefined
        this.#next += 1
        this.at = event.position
        return Effect.succeed(event)
      }
      if (!this.#more || hasReached(this.at, to)) return Effect.undefined
      return Effect.flatMap(this.#log.page(this.at), ({ events, more }) => {
        this.#page = events
        this.#next = 0
        this.#more = more
        return events.length === 0 ? Effect.undefined : step
      })
    })
    return step
  }
}

/**
 * Reads both logs from their first events to their present heads, and compares them event by event. A text that the
 * source still has and the target has not is a difference, unless `isErased` says that an event in the target has
 * erased it: that is for a source whose engine may still have such texts.
 */
export const compare = Effect.fnUntraced(function* (
  source: Log,
  target: Log,
  checkpoints: ReadonlyMap<string, Position>,
  progress: CopyProgress,
  isErased: LogIntake["Service"]["isErased"] = () => Effect.succeed(false)
) {
  const alike = source.engine === "postgres" && target.engine === "postgres"
  const [end, targetEnd] = [yield* source.head, yield* target.head]
  const [ours, theirs] = [new Walk(source), new Walk(target)]
  const found = new Map<string, Position>()
  const first: Array<string> = []
  let [events, texts, erased, differing] = [0, 0, 0, 0]
  const differs = (line: string) => {
    differing += 1
    if (first.length < told) first.push(line)
  }
  for (;;) {
    const before = theirs.at
    const event = yield* ours.next(end)
    const copy = yield* theirs.next(targetEnd)
    if (event === undefined && copy === undefined) break
    for (const [name, at] of checkpoints) {
      if (!found.has(name) && (event === undefined || isAfter(event.position, at))) found.set(name, before)
    }
    if (event === undefined || copy === undefined) {
      const [which, one] = event === undefined ? ["source", copy!] : ["target", event]
      differs(`position ${one.position}: ${one.type} is not in the ${which}`)
      // every event after this one would be told
      break
    }
    const field = differenceOf(event, copy, alike)
    const gone = field === oneHasNone && event.text !== null && (yield* isErased(event.tenant, event.text.subject))
    if (field !== undefined && !gone)
      differs(`position ${event.position}: ${event.type} has another ${field} in the target`)
    else if (!isOwnText(copy))
      differs(`position ${event.position}: ${event.type} has a text that is not the one that was appended`)
    events += 1
    if (copy.text !== null) texts += 1
    else if (copy.hasText) erased += 1
    progress(event.position, end, events)
  }
  for (const name of checkpoints.keys()) if (!found.has(name)) found.set(name, theirs.at)
  const compared: Compared = {
    events,
    texts,
    erased,
    differing,
    first,
    source: ours.at,
    target: theirs.at,
    checkpoints: found
  }
  return compared
})
