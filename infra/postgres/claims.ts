import { randomBytes } from "node:crypto"
import type { Notification } from "@effect/sql-pg/PgConnection"
import { type Cause, Clock, Deferred, Effect, Queue } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Claim, Claiming } from "#engine/ports/Claims.ts"

/** A database session that only holds locks, and hears of claims. */
export interface Session {
  /** Runs a statement on the session; gives its rows by column. */
  readonly query: (
    statement: string,
    parameters: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<{ readonly [column: string]: unknown }>, SqlError>
  /** What is said on `channel`; fails when the session has ended. */
  readonly heard: Queue.Dequeue<Notification, SqlError>
}

/**
 * The channel that tells of claims: `NAME` was given up in good order, `free NAME` was given up otherwise, and the
 * process `TOKEN` got what `had TOKEN NAME` names.
 */
export const channel = "cairn_claims"

/** A lock of 64 bits for each name in each schema; 5020719 is near the number of the append's lock. */
const key = "hashtextextended(current_schema() || ' ' || name, 5020719)"
const names = "json_array_elements_text($1::json) AS name"
// told along with it: a process that gets the claim after this one has ended knows that it was not given up since
const taking = `SELECT name, pg_notify('${channel}', 'had ' || $2 || ' ' || name) FROM ${names} WHERE pg_try_advisory_lock(${key})`
// told before unlocking: a process that gets the claim by then has heard of it
const telling = `SELECT pg_notify('${channel}', name) FROM ${names}`
const unlocking = `SELECT pg_advisory_unlock(${key}) FROM ${names}`

/** Milliseconds between two tries to get another process's claim; one that is told to be given up is got at once. */
const pause = 250
/** How often the session is looked at while nothing is wanted; and how long an answer may take. */
const watch = 1_000
const answerWithin = "5 seconds"
/** Milliseconds for which a claim is known to be given up in good order, unless another process gets it. */
const remembered = 5_000

interface Waiting {
  readonly had: Deferred.Deferred<Claim>
  readonly lost: Deferred.Deferred<void>
  /** Whether giving it up now would be in good order. */
  inOrder: boolean
}

interface Unwanted {
  readonly name: string
  readonly inOrder: boolean
}

/** Claims as advisory locks of one session: they go with it, however it ends. */
export const makeClaims = Effect.gen(function* () {
  const self = randomBytes(4).toString("hex")
  const wake = yield* Queue.sliding<void>(1)
  /** Name → those that wait for it, in the order in which they came. */
  const waiting = new Map<string, Array<Waiting>>()
  const mine = new Map<string, Waiting>()
  const unwanted: Array<Unwanted> = []
  let leaving = false
  /** Name → when it was given up in good order. */
  const givenUp = new Map<string, number>()

  const wakeUp = Queue.offer(wake, undefined)

  const leave = (name: string, one: Waiting) =>
    Effect.suspend(() => {
      if (mine.get(name) === one) {
        mine.delete(name)
        unwanted.push({ name, inOrder: one.inOrder })
        return wakeUp
      }
      const left = (waiting.get(name) ?? []).filter((other) => other !== one)
      if (left.length > 0) waiting.set(name, left)
      else waiting.delete(name)
      return Effect.void
    })

  const claim = Effect.fnUntraced(function* (name: string) {
    const one: Waiting = { had: yield* Deferred.make<Claim>(), lost: yield* Deferred.make<void>(), inOrder: false }
    yield* Effect.acquireRelease(
      Effect.sync(() => waiting.set(name, [...(waiting.get(name) ?? []), one])),
      () => leave(name, one)
    )
    yield* wakeUp
    return yield* Deferred.await(one.had)
  })

  const give = Effect.fnUntraced(function* (name: string) {
    const [one, ...others] = waiting.get(name) ?? []
    const handedOver = givenUp.delete(name)
    if (one === undefined) return void unwanted.push({ name, inOrder: handedOver })
    if (others.length > 0) waiting.set(name, others)
    else waiting.delete(name)
    mine.set(name, one)
    one.inOrder = handedOver
    const begin = Effect.sync(() => {
      one.inOrder = true
    })
    yield* Deferred.succeed(one.had, { lost: Deferred.await(one.lost), handedOver, begin })
  })

  /** Tells whether a claim that this process waits for was given up. */
  const hear = Effect.fnUntraced(function* ({ heard }: Session) {
    const now = yield* Clock.currentTimeMillis
    let offered = false
    for (const { payload } of yield* Queue.clear(heard)) {
      const [, free, by, had] = /^(?:free (.*)|had (\w+) (.*))$/s.exec(payload) ?? []
      if (had !== undefined && by === self) continue
      const name = free ?? had ?? payload
      if (name === payload) givenUp.set(name, now)
      else givenUp.delete(name)
      offered ||= had === undefined && waiting.has(name)
    }
    for (const [name, at] of givenUp) if (now - at > remembered || !waiting.has(name)) givenUp.delete(name)
    return offered
  })

  const goOn = Effect.fnUntraced(function* (session: Session) {
    const query = (statement: string, parameters: ReadonlyArray<unknown>) =>
      Effect.timeout(session.query(statement, parameters), answerWithin)
    let asked = 0
    for (;;) {
      if (unwanted.length > 0) {
        const gone = unwanted.splice(0)
        leaving = true
        const said = gone.map(({ name, inOrder }) => (inOrder ? name : `free ${name}`))
        yield* query(telling, [JSON.stringify(said)])
        yield* query(unlocking, [JSON.stringify(gone.map(({ name }) => name))])
        leaving = false
      }
      const wanted = [...waiting.keys()].filter((name) => !mine.has(name))
      if (wanted.length > 0) {
        const had = yield* query(taking, [JSON.stringify(wanted), self])
        yield* hear(session)
        for (const { name } of had) yield* give(name as string)
        asked = yield* Clock.currentTimeMillis
      } else if ((yield* Clock.currentTimeMillis) - asked >= watch) {
        yield* query("SELECT 1", [])
        asked = yield* Clock.currentTimeMillis
      }
      if (unwanted.length > 0) continue
      const open = [...waiting.keys()].some((name) => !mine.has(name))
      const offered = Effect.repeat(Effect.andThen(Queue.peek(session.heard), hear(session)), { until: (some) => some })
      yield* Effect.timeoutOption(Effect.raceFirst(Queue.take(wake), offered), open ? pause : watch)
    }
  })

  /** Serves claims on a session until it ends, and with it all claims; gives the error it ended by. */
  const on = (session: Session): Effect.Effect<SqlError | Cause.TimeoutError> =>
    Effect.ensuring(
      Effect.flip(goOn(session)),
      Effect.suspend(() => {
        const lost = [...mine.values()]
        mine.clear()
        givenUp.clear()
        unwanted.length = 0
        leaving = false
        return Effect.forEach(lost, (one) => Deferred.succeed(one.lost, undefined), { discard: true })
      })
    )

  /** Waits up to a second until claims that were given up are unlocked, so that a process that ends has told so. */
  const givenAway = Effect.suspend(() =>
    unwanted.length === 0 && !leaving ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), Effect.fail("not yet"))
  ).pipe(Effect.retry({ times: 200 }), Effect.ignore)

  const claiming: Claiming = { shared: true, claim }
  return { claiming, on, givenAway }
})
