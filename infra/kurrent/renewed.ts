import type { KurrentDBClient } from "@kurrent/kurrentdb-client"
import { Clock, Effect } from "effect"
import { Fault, faultOf } from "./Fault.ts"

/** Milliseconds that one try of a call may take. */
export const patience = 4_000

const asked = <A>(call: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, Fault> =>
  Effect.tryPromise({ try: call, catch: faultOf }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new Fault({ kind: "passes", message: `no answer within ${patience} ms` }))
    })
  )

interface Renewing<E> {
  readonly opening: Effect.Effect<KurrentDBClient, E>
  /** What becomes of a client that another one has replaced. */
  readonly leaving: (client: KurrentDBClient) => Effect.Effect<void>
  /** Whether, after a fault, only another client finds its way. */
  readonly lost: (fault: Fault) => boolean
  /** Milliseconds that a client stays at least: calls under way at the same time lose the same one. */
  readonly atLeast: number
}

/** A client that another one replaces when it has lost its way. */
export const renewed = Effect.fnUntraced(function* <E>({ opening, leaving, lost, atLeast }: Renewing<E>) {
  let current = { client: yield* opening, since: 0 }
  const renew = Effect.fnUntraced(function* (mine: typeof current) {
    const now = yield* Clock.currentTimeMillis
    if (current !== mine || now - mine.since < atLeast) return
    // a file of certificates may be gone by now
    const client = yield* Effect.orElseSucceed(opening, () => mine.client)
    current = { client, since: now }
    if (client !== mine.client) yield* leaving(mine.client)
  })
  return {
    get client() {
      return current.client
    },
    call: <A>(call: (client: KurrentDBClient, signal: AbortSignal) => Promise<A>): Effect.Effect<A, Fault> =>
      Effect.suspend(() => {
        const mine = current
        return Effect.tapError(
          asked((signal) => call(mine.client, signal)),
          (fault) => (lost(fault) ? renew(mine) : Effect.void)
        )
      })
  }
})
