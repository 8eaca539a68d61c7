import { randomUUID } from "node:crypto"
import { Clock, Effect, Schedule } from "effect"
import { positionOf } from "#engine/Position.ts"
import { type Append, type Appended, type StoredEvent, WrongRevision } from "#engine/ports/EventStore.ts"
import { Kurrent } from "./client.ts"
import * as Commands from "./commands.ts"
import { attemptOf, proposedOf } from "./envelope.ts"
import { Fault } from "./Fault.ts"
import { Log } from "./Log.ts"
import type { Revisions } from "./Revisions.ts"
import { commandAt } from "./read.ts"
import { setMaxAge } from "./retention.ts"

/** Retries a call whose fault passes, for about 5 s. */
export const patiently = {
  while: ({ kind }: Fault) => kind === "passes",
  schedule: Schedule.exponential("20 millis"),
  times: 8
} as const

/** Milliseconds for which an append that expects no revision tries again when others were first. */
const insistence = 5_000

const lastRevision = Effect.fnUntraced(function* (stream: string) {
  const { readStream } = yield* Kurrent
  const [last] = yield* Effect.retry(readStream(stream, { from: "end", backwards: true, count: 1 }), patiently)
  return last === undefined ? -1 : Number(last.revision)
})

/** The events that each command led to, by where the commands were to go. */
const ledTo = Effect.fnUntraced(function* ({ stream, commands }: Append, earlier: ReadonlyArray<Commands.Whither>) {
  const led: Array<ReadonlyArray<StoredEvent>> = []
  for (const { commandId } of commands) {
    let found: ReadonlyArray<StoredEvent> = []
    for (const { revision } of earlier.filter((one) => one.commandId === commandId)) {
      if (found.length === 0) found = yield* Effect.retry(commandAt(stream, commandId, revision), patiently)
    }
    led.push(found)
  }
  return led
})

const endedAs = (before: ReadonlyArray<ReadonlyArray<StoredEvent>>): Appended => {
  const { revision, recordedAt } = before.at(-1)!.at(-1)!
  return { revision, recordedAt, positions: before.map((events) => events.at(-1)!.position), before }
}

/**
 * One append, in steps that may each be repeated. First it notes where the commands are to go, so that what was never
 * noted was never appended. Then they go in at exactly that revision; the server recognizes an append that comes twice.
 * Then it reads what is there, because the server answers alike for this try and another one's. Only an append that
 * expects no revision looks first where the stream ends, and again when others were first.
 */
export const append = Effect.fnUntraced(function* (
  append: Append,
  clock: (now: number) => number,
  revisions: Revisions
) {
  const { tenant, stream, expected, commands } = append
  const kurrent = yield* Kurrent
  const log = yield* Log
  const since = yield* Clock.currentTimeMillis
  const attempt = { id: randomUUID(), recordedAt: clock(since) }
  const events = commands.flatMap((command) => proposedOf(log.id, tenant, command, attempt))
  const wrong = (actual: number) => new WrongRevision({ stream, expected, actual })

  let after =
    expected === "any" ? (revisions.last(stream) ?? (yield* lastRevision(stream))) : expected === "none" ? -1 : expected
  for (;;) {
    let next = after + 1
    const whither = commands.map(({ commandId, events }) => {
      const revision = next
      next += events.length
      return { commandId, revision }
    })
    const earlier = yield* Commands.note(stream, whither)
    if (earlier.length > 0) {
      const before = yield* ledTo(append, earlier)
      if (before.every((events) => events.length > 0)) return endedAs(before)
      if (before.some((events) => events.length > 0)) return yield* wrong(yield* lastRevision(stream))
    }
    if (after === -1) yield* Effect.retry(setMaxAge(stream), patiently)
    const at = after
    const { revision, actual = -1 } = yield* Effect.suspend(() => kurrent.append(stream, at, events)).pipe(
      Effect.map((revision) => ({ revision, actual: undefined })),
      Effect.retry(patiently),
      Effect.catchIf(
        ({ kind }) => kind === "wrong-revision",
        ({ actual }) => Effect.succeed({ revision: undefined, actual })
      )
    )
    if (revision === undefined) {
      if (expected !== "any") return yield* wrong(actual)
      after = actual
      const now = yield* Clock.currentTimeMillis
      if (now - since > insistence) return yield* new Fault({ kind: "passes", message: "others were first, for 5 s" })
      yield* Effect.sleep(Math.random() * 20)
      continue
    }
    const [last] = yield* Effect.retry(kurrent.readStream(stream, { from: revision, count: 1 }), patiently)
    // another try's event, at the same place and the same time, or a late one of a process that is gone
    if (last === undefined || attemptOf(last) !== attempt.id) {
      const before = yield* ledTo(append, whither)
      if (before.every((events) => events.length > 0)) return endedAs(before)
      return yield* new Fault({ kind: "passes", message: "what was appended is not there to be read yet" })
    }
    revisions.noteLast(stream, revision)
    const position = positionOf(last.position!.commit)
    return { revision, positions: commands.map(() => position), recordedAt: attempt.recordedAt } satisfies Appended
  }
})
