import { createHash } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Exit, Layer, Request, RequestResolver, Schedule, Semaphore } from "effect"
import { CountsUnavailable, RequestCounts } from "#ports/RequestCounts.ts"

class Count extends Request.Class<
  { readonly name: string; readonly limit: number },
  { readonly wait: number },
  CountsUnavailable
> {}

const unavailable = new CountsUnavailable({ message: "requests can't be counted" })

/** How long an answer may take. */
const patience = "5 seconds"
/** The most names that are remembered as being at their limit; with more, all are asked for again. */
const mostFull = 10_000

/** A digest: short, and nobody can read an address from it. */
const shortened = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 32)

/**
 * Counts in the database, for all processes on it. Requests that come while one statement is under way are counted by
 * the next, so many at once cost one round trip. A name at its limit stays there for the time that the database gave,
 * and is not asked about meanwhile.
 */
export const layer = Layer.effect(
  RequestCounts,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    /** Name → until when it is at its limit, in this process's time. */
    const full = new Map<string, { readonly limit: number; readonly until: number }>()

    const asked = Effect.fnUntraced(function* (entries: ReadonlyArray<Request.Entry<Count>>) {
      const names = Map.groupBy(entries, ({ request }) => request.name)
      const wanted = [...names]
        .map(([name, of]) => ({
          of,
          short: shortened(name),
          limit: Math.min(...of.map(({ request }) => request.limit))
        }))
        .sort((a, b) => (a.short < b.short ? -1 : 1))
      const exit = yield* sql<{ readonly counted: ReadonlyArray<number>; readonly waits: ReadonlyArray<number> }>`
        SELECT counted, waits FROM count_requests(${wanted.map(({ short }) => short)}::uuid[],
          ${wanted.map(({ of }) => of.length)}::integer[], ${wanted.map(({ limit }) => limit)}::integer[])`.pipe(
        Effect.timeout(patience),
        Effect.exit
      )
      for (const [index, { of }] of wanted.entries()) {
        for (const [place, entry] of of.entries()) {
          if (Exit.isFailure(exit)) entry.completeUnsafe(Exit.fail(unavailable))
          else {
            const { counted, waits } = exit.value[0]!
            entry.completeUnsafe(Exit.succeed({ wait: place < counted[index]! ? 0 : waits[index]! }))
          }
        }
      }
    })

    const turn = yield* Semaphore.make(1)
    const resolver = RequestResolver.make<Count>((entries) => turn.withPermits(1)(asked(entries))).pipe(
      RequestResolver.setDelayEffect(turn.withPermits(1)(Effect.void))
    )

    yield* Effect.forkScoped(
      Effect.repeat(
        // a statement that counts holds a row, and may wait for another
        Effect.ignore(sql`DELETE FROM request_counts WHERE name = ANY (ARRAY(
          SELECT name FROM request_counts WHERE at < extract(epoch FROM clock_timestamp()) - 120
          LIMIT 100000 FOR UPDATE SKIP LOCKED))`),
        Schedule.spaced("1 minute")
      )
    )

    return RequestCounts.of({
      count: Effect.fnUntraced(function* (name, limit) {
        const now = yield* Clock.currentTimeMillis
        const known = full.get(name)
        if (known !== undefined && known.limit === limit && now < known.until) return known.until - now
        full.delete(name)
        const { wait } = yield* Effect.request(new Count({ name, limit }), resolver)
        if (wait > 0) {
          if (full.size >= mostFull) full.clear()
          full.set(name, { limit, until: (yield* Clock.currentTimeMillis) + wait })
        }
        return wait
      })
    })
  })
)
