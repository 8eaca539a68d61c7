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
 * What follows from events: has its own checkpoint, sees each event at least once and in order, is never replayed. What
 * it does must come out the same when it is done twice (derived command ids).
 */
export interface Reaction<Event extends AnyEvent, E, R> {
  /** Its checkpoint is kept under this name: with another one it begins at the beginning of the log. */
  readonly name: string
  readonly on: ReadonlyArray<Event["_tag"]>
  /**
   * Whether it needs what was typed. Events come without any text else, as though it was erased: each reaction would
   * hold megabytes of it.
   */
  readonly needsText?: boolean
  /** Does what follows from one event. When it fails it is given the event again, see `react`. */
  readonly handle: (event: Recorded<Event>) => Effect.Effect<void, E, R>
}

/** How reactions to a log's events are written down: `reactionTo<DomainEvent>()({ name, on, handle })`. */
export const reactionTo =
  <Event extends AnyEvent>() =>
  <const T extends Event["_tag"], E, R>(
    definition: Omit<Reaction<Extract<Event, { readonly _tag: T }>, E, R>, "on"> & { readonly on: ReadonlyArray<T> }
  ) =>
    definition

/** One of any events. */
interface AnyReaction {
  readonly name: string
  readonly on: ReadonlyArray<string>
  readonly needsText?: boolean
  readonly handle: (event: never) => Effect.Effect<void, unknown, unknown>
}

/** What a reaction, or one of several, stands on. */
type Needs<A extends AnyReaction> = Effect.Services<ReturnType<A["handle"]>>

const batch = 500

/** How often an event is tried, a second apart, before it is left out. */
const tries = 3
/** Events that one reaction leaves out: with more of them it is no matter of single ones, and it stands still. */
const mostLeft = 1_000
/** Milliseconds after which what was left out is tried again. */
const pause = 10_000

/**
 * Whether a fault passes by itself, and is no matter of the event that met it: a database that is away, a queue that is
 * full.
 */
export type Passes = (fault: unknown) => boolean

/** What would fail for any event. */
const isAway = (cause: Cause.Cause<unknown>, passes: Passes): boolean =>
  cause.reasons.some((reason) => {
    const fault = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    return fault instanceof Stale || fault instanceof Unreadable || passes(fault)
  })

/**
 * Runs a reaction. One that fails tries again from the event that it failed at. What fails again and again is left out
 * with all that follows in its stream, so that no workspace or snippet holds up the others; the checkpoint stays before
 * it, and the next start begins there.
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
  // not known before it was read
  let stored = beginning
  let at = beginning
  /** Whether the checkpoint was read: before that it says nothing. */
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
  /** Stores it some time. */
  const pass = () => {
    const to = done()
    if (!isAfter(to, stored)) return
    passing.set(name, {
      from: stored,
      to,
      done: (isStored) => {
        // what was said meanwhile begins where it stood before
        passing.delete(name)
        if (isStored) stored = latest(stored, to)
        // another process has moved it: it is looked up
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
      // which says as well that it goes on
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

  /** Takes up what was left out, each stream in its order. */
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
    // a defect may pass too: a full disk, an event of a newer version that runs beside this one
    Effect.catchDefect((defect) => Effect.fail(defect)),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.andThen(
      Effect.gen(function* () {
        fault = undefined
        yield* over(Effect.logInfo(`reaction ${name} goes on`))
        const moved = PubSub.takeAll(looks)
        // what moves the log does not put off what was left out
        if (left.length === 0) yield* moved
        else yield* Effect.timeoutOption(moved, triedAt + pause - (yield* Clock.currentTimeMillis))
      })
    ),
    Effect.forever
  )
})

/**
 * Runs reactions for as long as the scope lives, each of them in one process at a time. One look at what is new tells
 * all of them whether it concerns them: most events concern none. An event whose handling fails is tried three times, a
 * second apart, and then left out with what follows in its stream; what is left out is tried again every 10 s
 * (`LeftOut` says what it is). A fault that `passes` calls passing is waited for, however often it comes.
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
