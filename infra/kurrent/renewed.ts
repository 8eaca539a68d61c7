import type { KurrentDBClient } from "@kurrent/kurrentdb-client"
import { Clock, Effect } from "effect"
import { Fault, faultOf } from "./Fault.ts"

/** Milliseconds of silence after which a try of a call is given up, unless the call says otherwise. */
export const patience = 4_000

/** A call that is told what it is given up by, and tells of each part of its answer that comes. */
type Call<A> = (client: KurrentDBClient, signal: AbortSignal, heard: () => void) => Promise<A>

/** However long an answer is, it is waited for as long as it goes on. */
const asked = <A>(call: Call<A>, client: KurrentDBClient, within: number): Effect.Effect<A, Fault> =>
  Effect.suspend(() => {
    let isHeard = true
    const silence = Effect.gen(function* () {
      while (isHeard) {
        isHeard = false
        yield* Effect.sleep(within)
      }
      return yield* new Fault({ kind: "passes", message: `no answer within ${within} ms`, silent: true })
    })
    const heard = () => {
      isHeard = true
    }
    const answer = Effect.tryPromise({ try: (signal) => call(client, signal, heard), catch: faultOf })
    return Effect.raceFirst(answer, silence)
  })

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
    call: <A>(call: Call<A>, within = patience): Effect.Effect<A, Fault> =>
      Effect.suspend(() => {
        const mine = current
        return Effect.tapError(asked(call, mine.client, within), (fault) => (lost(fault) ? renew(mine) : Effect.void))
      })
  }
})
