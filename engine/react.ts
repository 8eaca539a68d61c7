import { Cause, Clock, Effect, Exit, PubSub, Schedule } from "effect"
import { whileMine } from "#engine/ports/Claims.ts"
import { EventStore, type StoredEvent } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Stale, Unreadable } from "./ask.ts"
import { Codec } from "./codec.ts"
import type { AnyEvent, Recorded } from "./Event.ts"
import { type LeftEvent, LeftOut } from "./leftOut.ts"
import { beginning, isAfter, latest, type Position } from "./Position.ts"
import { inSteps } from "./pages.ts"
import { makePassing, type Passing } from "./passing.ts"
import { Reacting } from "./reacting.ts"
import { saying } from "./saying.ts"
import { Tail } from "./tail.ts"

/**
 * What follows from events. A reaction has its own checkpoint, sees each event at least once and in order, and is never
 * replayed. Handling an event twice must have the same effect as once (derived command ids).
 */
export interface Reaction<Event extends AnyEvent, E, R> {
  /** Its checkpoint is kept under this name; under a new name it begins at the start of the log. */
  readonly name: string
  readonly on: ReadonlyArray<Event["_tag"]>
  /**
   * Whether it needs the events' texts. Otherwise events come without them, as though erased: each reaction would hold
   * megabytes of text.
   */
  readonly needsText?: boolean
  /** Does what follows from one event. If it fails, it gets the event again: see `react`. */
  readonly handle: (event: Recorded<Event>) => Effect.Effect<void, E, R>
}

/** Declares a reaction to a log's events: `reactionTo<DomainEvent>()({ name, on, handle })`. */
export const reactionTo =
  <Event extends AnyEvent>() =>
  <const T extends Event["_tag"], E, R>(
    definition: Omit<Reaction<Extract<Event, { readonly _tag: T }>, E, R>, "on"> & { readonly on: ReadonlyArray<T> }
  ) =>
    definition

/** A reaction to any events. */
interface AnyReaction {
  readonly name: string
  readonly on: ReadonlyArray<string>
  readonly needsText?: boolean
  readonly handle: (event: never) => Effect.Effect<void, unknown, unknown>
}

/** The services that reactions of a type need. */
type Needs<A extends AnyReaction> = Effect.Services<ReturnType<A["handle"]>>

const batch = 500

/** How often an event is tried, a second apart, before it is left out. */
const tries = 3
/** Most events that a reaction leaves out: with more, the fault is not in single events, and it stands still. */
const mostLeft = 1_000
/** Milliseconds after which left-out events are tried again. */
const pause = 10_000

/**
 * Whether a fault passes by itself and has nothing to do with the event that met it: a database is away, a queue is
 * full.
 */
export type Passes = (fault: unknown) => boolean

/** Whether any event would meet this fault. */
const isAway = (cause: Cause.Cause<unknown>, passes: Passes): boolean =>
  cause.reasons.some((reason) => {
    const fault = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    return fault instanceof Stale || fault instanceof Unreadable || passes(fault)
  })

/**
 * Runs a reaction. After a failure it tries again from the event that failed. An event that keeps failing is left out
 * with all that follow in its stream, so that no workspace or snippet holds up the others. The checkpoint stays before
 * that event, and the next start begins there.
 */
const run = Effect.fnUntraced(function* <A extends AnyReaction>(
  { name, on, needsText = false, ...reaction }: A,
  passes: Passes,
  passing: Passing
) {
  const codec = yield* Codec
  const handle = reaction.handle as (event: never) => Effect.Effect<void, unknown, Needs<A>>
  const store = yield* EventStore
  const models = yield* ReadModels
  const leftOut = yield* LeftOut
  const tail = yield* Tail
  const looks = yield* Effect.retry(tail.join, Schedule.spaced("1 second"))
  const wanted = { types: on, factsOnly: !needsText }
  let stored = beginning
  let at = beginning
  /** Whether the checkpoint has been read; until then `stored` and `at` say nothing. */
  let known = false
  let left: ReadonlyArray<LeftEvent> = []
  let triedAt = 0
  let failing: { readonly position: Position | undefined; readonly times: number } = { position: undefined, times: 0 }
  let fault: string | undefined
  const { say, over } = saying()
  const reacting = yield* Reacting
  reacting?.set(name, () => ({
    lag: !known || tail.concerns(at, wanted) ? Math.max(0, tail.reached() - at) : 0,
    fault
  }))

  const leave = (events: ReadonlyArray<LeftEvent>) => {
    left = events
    if (left.length === 0) leftOut.delete(name)
    else leftOut.set(name, left)
  }

  const done = () => left[0]?.before ?? at
  const keep = Effect.gen(function* () {
    passing.delete(name)
    while (isAfter(done(), stored) && !(yield* models.advance(name, stored, done())))
      stored = yield* models.reaction(name)
    stored = latest(stored, done())
    at = latest(stored, at)
  })
  /** Has the checkpoint stored within a second, together with those of other reactions. */
  const pass = () => {
    const to = done()
    if (!isAfter(to, stored)) return
    passing.set(name, {
      from: stored,
      to,
      done: (isStored) => {
        // a checkpoint that was queued meanwhile begins at the old `stored`: drop it
        passing.delete(name)
        if (isStored) stored = latest(stored, to)
        // another process has moved the checkpoint: read it again
        else known = false
      }
    })
  }

  const attempt = (event: StoredEvent) =>
    Effect.exit(Effect.flatMap(inSteps(codec.decoding(event)), (decoded) => handle(decoded as never)))

  /** Handles an event, or leaves it out. */
  const take = Effect.fnUntraced(function* (event: StoredEvent) {
    const { position, stream } = event
    const follows = left.some((one) => one.stream === stream)
    const exit = follows ? Exit.void : yield* attempt(event)
    if (Exit.isFailure(exit)) {
      failing = { position, times: failing.position === position ? failing.times + 1 : 1 }
      const { cause } = exit
      if (Cause.hasInterrupts(cause) || isAway(cause, passes) || failing.times < tries)
        return yield* Effect.failCause(cause)
      yield* Effect.logError(`reaction ${name} leaves out an event, and goes on with others`, cause).pipe(
        Effect.annotateLogs({ position, stream })
      )
      // the error above also says that the reaction goes on
      yield* over(Effect.void)
      triedAt = yield* Clock.currentTimeMillis
    }
    if (follows || Exit.isFailure(exit)) {
      if (left.length >= mostLeft) return yield* Effect.die(new Error("too many events were left out"))
      leave([...left, { position, stream, before: at }])
    }
    at = position
  })

  const deliver = Effect.fnUntraced(function* (to: Position) {
    if (!known) stored = yield* models.reaction(name)
    known = true
    at = latest(at, stored)
    while (isAfter(to, at)) {
      const { events, more } = yield* store.readAll(at, { ...wanted, limit: batch })
      for (const event of events) yield* take(event)
      const last = events.at(-1)?.position ?? at
      at = more ? last : latest(to, last)
      yield* keep
    }
  })

  /** Tries the left-out events again, each stream in its order. */
  const again = Effect.gen(function* () {
    const stuck = new Set<string>()
    for (const one of left) {
      if (stuck.has(one.stream)) continue
      const [event] = (yield* store.readAll(one.before, { ...wanted, limit: 1 })).events
      const exit = event?.position === one.position ? yield* attempt(event) : Exit.void
      if (Exit.isFailure(exit)) stuck.add(one.stream)
      else leave(left.filter(({ position }) => position !== one.position))
    }
    if (stuck.size === 0) yield* Effect.logInfo(`reaction ${name} has done what it had left out`)
    yield* keep
    triedAt = yield* Clock.currentTimeMillis
  })

  const step = Effect.gen(function* () {
    if (left.length > 0 && (yield* Clock.currentTimeMillis) - triedAt >= pause) yield* again
    const to = tail.reached()
    if (!known || tail.concerns(at, wanted)) return yield* deliver(to)
    at = latest(at, to)
    pass()
  })

  return yield* step.pipe(
    Effect.tapCause((cause) => {
      fault = String(Cause.squash(cause))
      return say(cause, Effect.logWarning(`reaction ${name} stands still`, cause))
    }),
    // a defect may pass too: a full disk, or an event of a newer version of the service that runs beside this one
    Effect.catchDefect((defect) => Effect.fail(defect)),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.andThen(
      Effect.gen(function* () {
        fault = undefined
        yield* over(Effect.logInfo(`reaction ${name} goes on`))
        const moved = PubSub.takeAll(looks)
        // the pause counts from the last try: news in the log does not put off what was left out
        if (left.length === 0) yield* moved
        else yield* Effect.timeoutOption(moved, triedAt + pause - (yield* Clock.currentTimeMillis))
      })
    ),
    Effect.forever
  )
})

/**
 * Runs reactions for as long as the scope lives, each of them in one process at a time. One look at the log's end tells
 * all of them whether it concerns them; most events concern none. An event whose handling fails is tried three times, a
 * second apart, then left out with what follows in its stream. Left-out events (`LeftOut`) are tried again every 10 s.
 * A fault that passes by itself, as `passes` says, is waited out however often it comes.
 */
export const react = Effect.fnUntraced(function* <A extends AnyReaction>(reactions: ReadonlyArray<A>, passes: Passes) {
  const leftOut = yield* LeftOut
  const reacting = yield* Reacting
  const passing = yield* makePassing
  for (const one of reactions) {
    const forget = Effect.sync(() => {
      leftOut.delete(one.name)
      reacting?.delete(one.name)
      passing.delete(one.name)
    })
    const mine = whileMine(`reaction ${one.name}`, () =>
      Effect.ensuring(Effect.scoped(run(one, passes, passing)), forget)
    )
    yield* Effect.forkScoped(mine)
  }
})
