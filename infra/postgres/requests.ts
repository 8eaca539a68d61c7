import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Request, RequestResolver, Schedule, Semaphore } from "effect"
import { type KnownRequest, Requests, RequestsUnavailable } from "#ports/Requests.ts"

class Find extends Request.Class<{ readonly digest: string }, KnownRequest | undefined, RequestsUnavailable> {}

interface Row {
  readonly digest: string
  readonly n: number
  readonly fingerprint: string | null
  readonly delivered: boolean
  readonly recorded_at: Date
}

const unavailable = new RequestsUnavailable({ message: "the requests table can't be reached" })

/** Rows older than the longest time that one counts (an idempotency key's 24 h) are dropped. */
const kept = "25 hours"

/** The requests table. Lookups that come together go out as one query; deliveries are stored in batches. */
export const layer = Layer.effect(
  Requests,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    // delivered, and perhaps not in the table yet: digest → n
    const recent = new Map<string, number>()

    const flush = Effect.gen(function* () {
      const rows = [...recent]
      if (rows.length === 0) return
      yield* sql`UPDATE requests r SET delivered_at = now()
        FROM unnest(${rows.map(([digest]) => digest)}::text[], ${rows.map(([, n]) => n)}::int[]) AS d (digest, n)
        WHERE r.digest = d.digest AND r.n = d.n AND r.delivered_at IS NULL`
      for (const [digest, n] of rows) if (recent.get(digest) === n) recent.delete(digest)
    }).pipe(Effect.ignore)

    // while one lookup is under way the next ones gather
    const turn = yield* Semaphore.make(1)
    const resolver = RequestResolver.make<Find>((entries) =>
      sql<Row>`SELECT DISTINCT ON (digest) digest, n, fingerprint, delivered_at IS NOT NULL AS delivered, recorded_at
        FROM requests WHERE digest = ANY (${entries.map(({ request }) => request.digest)}::text[])
        ORDER BY digest, n DESC`.pipe(
        Effect.exit,
        Effect.map((exit) => {
          const rows = new Map(Exit.isSuccess(exit) ? exit.value.map((row) => [row.digest, row]) : [])
          for (const entry of entries) {
            const row = rows.get(entry.request.digest)
            const known = row && { ...row, recordedAt: row.recorded_at.getTime() }
            entry.completeUnsafe(Exit.isSuccess(exit) ? Exit.succeed(known) : Exit.fail(unavailable))
          }
        }),
        turn.withPermits(1)
      )
    ).pipe(RequestResolver.setDelayEffect(turn.withPermits(1)(Effect.void)))

    yield* Effect.forkScoped(Effect.repeat(flush, Schedule.spaced("50 millis")))
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.ignore(sql`DELETE FROM requests WHERE recorded_at < now() - ${kept}::interval`),
        Schedule.spaced("10 minutes")
      )
    )
    yield* Effect.addFinalizer(() => flush)

    return Requests.of({
      // looked at before the query and after: in between a flush may have moved it to the table
      find: (digest) =>
        Effect.suspend(() => {
          const before = recent.get(digest)
          return Effect.map(Effect.request(new Find({ digest }), resolver), (known) =>
            known !== undefined && (before === known.n || recent.get(digest) === known.n)
              ? { ...known, delivered: true }
              : known
          )
        }),
      delivered: (digest, n) => {
        recent.set(digest, n)
      }
    })
  })
)
