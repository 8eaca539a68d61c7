import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Exit, Layer, PubSub, Request, RequestResolver, Schedule, Semaphore } from "effect"
import { beginning, isAfter, latest as latestOf } from "#engine/Position.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { EventStore, type StoredEvent } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { type KnownRequest, Requests, RequestsUnavailable } from "#ports/Requests.ts"
import { onOne } from "../watched.ts"
import { Latest } from "./Latest.ts"

class Find extends Request.Class<{ readonly digest: string }, KnownRequest | undefined, RequestsUnavailable> {}

interface Row {
  readonly digest: string
  readonly n: number
  readonly fingerprint: string | null
  readonly stream: string
  readonly delivered: boolean
  readonly recorded_at: Date
}

const unavailable = new RequestsUnavailable({ message: "the requests table can't be reached" })

/** The name of the table's checkpoint, kept beside those of reactions. As `requests`, it was of rows deleted by age. */
const name = "requests_v2"
/** Milliseconds after which the checkpoint moves past events that no request led to. */
const idle = 1_000

/**
 * The requests table, which follows from the log; and the event store, which remembers what this process appends until
 * the table has it. Lookups that come together go out as one query. The table catches up with the log, and learns of
 * deliveries, in batches. It is no read model like the others: half of what its rows say is in no event, and no fresh
 * read waits for it.
 */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const store = yield* EventStore
    const models = yield* ReadModels
    // how long the server may be silent is not for the clock of whoever asks
    const clock = yield* Clock.Clock
    const read = <A, E>(statements: Effect.Effect<A, E>) =>
      Effect.provideService(onOne(sql)(statements), Clock.Clock, clock)
    const write = <A, E>(statements: Effect.Effect<A, E>) =>
      Effect.provideService(onOne(sql, true)(statements), Clock.Clock, clock)
    const latest = new Latest()
    // deliveries that the table may not have yet: digest → n
    const recent = new Map<string, number>()

    let news = false
    /** The table has all up to here. */
    let at = beginning
    let checkpoint = beginning
    let checkpointedAt = 0
    /** Whether the table has caught up with the log once since this process began. */
    let begun = false

    const insert = (events: ReadonlyArray<StoredEvent>) => {
      const rows = events.map(({ request, commandId, stream, recordedAt }) => ({
        ...request!,
        command_id: commandId,
        stream,
        recorded_at: new Date(recordedAt).toISOString()
      }))
      const digests = rows.map(({ digest }) => digest)
      const inserted = Effect.andThen(
        sql`INSERT INTO requests (digest, n, fingerprint, command_id, stream, recorded_at)
          SELECT digest, n, fingerprint, command_id, stream, recorded_at
          FROM json_populate_recordset(NULL::requests, ${JSON.stringify(rows)}::text::json)
          ON CONFLICT DO NOTHING`,
        // the last row of a digest stays for good: the next request's number, and so its command's id, follows from it
        sql`DELETE FROM requests r USING requests l
          WHERE r.digest = ANY (${digests}::text[]) AND l.digest = r.digest AND l.n > r.n`
      )
      return write(inserted)
    }

    const keep = Effect.gen(function* () {
      while (isAfter(at, checkpoint) && !(yield* models.advance(name, checkpoint, at)))
        checkpoint = yield* models.reaction(name)
      checkpoint = latestOf(checkpoint, at)
      checkpointedAt = performance.now()
    })

    /** Brings the table up to the log. The checkpoint may be kept later: what is read again is in the table already. */
    const follow = Effect.fnUntraced(function* (keeping: boolean) {
      if (!begun) {
        checkpoint = yield* models.reaction(name)
        at = checkpoint
      }
      const head = yield* store.head
      while (isAfter(head, at)) {
        const { events, more } = yield* store.readAll(at, { requested: true, factsOnly: true })
        if (events.length > 0) yield* insert(events)
        const last = events.at(-1)?.position ?? at
        at = more ? last : latestOf(head, last)
        latest.forget(at)
        if (keeping && (events.length > 0 || performance.now() - checkpointedAt > idle)) yield* keep
      }
      // keeps the place that lookups have brought the table to
      if (keeping && isUnkept()) yield* keep
      begun = true
    })

    const isUnkept = () => isAfter(at, checkpoint) && performance.now() - checkpointedAt > idle

    const step = Effect.gen(function* () {
      if (begun && !news && recent.size === 0 && !isUnkept()) return
      news = false
      // all that was delivered so far is in the log, and so in the table once it has followed
      const delivered = [...recent]
      yield* follow(true)
      if (delivered.length === 0) return
      yield* write(sql`UPDATE requests r SET delivered_at = now()
        FROM unnest(${delivered.map(([digest]) => digest)}::text[], ${delivered.map(([, n]) => n)}::int[]) AS d (digest, n)
        WHERE r.digest = d.digest AND r.n = d.n AND r.delivered_at IS NULL`)
      for (const [digest, n] of delivered) if (recent.get(digest) === n) recent.delete(digest)
    }).pipe(Effect.tapCause(() => Effect.sync(() => void (news = true))))

    const alone = yield* Semaphore.make(1)
    const stepAlone = alone.withPermits(1)(step)
    const ready = Effect.suspend(() => (begun ? Effect.void : Effect.mapError(stepAlone, () => unavailable)))

    // what another process has written counts as soon as it is in the log
    const { shared } = yield* Claims
    const upToDate = shared ? alone.withPermits(1)(follow(false)) : Effect.void

    // while one lookup is under way, the next ones gather
    const turn = yield* Semaphore.make(1)
    const resolver = RequestResolver.make<Find>((entries) =>
      Effect.andThen(
        upToDate,
        read(sql<Row>`SELECT DISTINCT ON (digest) digest, n, fingerprint, stream, delivered_at IS NOT NULL AS delivered, recorded_at
        FROM requests WHERE digest = ANY (${entries.map(({ request }) => request.digest)}::text[])
        ORDER BY digest, n DESC`)
      ).pipe(
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

    const hints = yield* store.hints
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.andThen(
          PubSub.takeAll(hints),
          Effect.sync(() => void (news = true))
        )
      )
    )
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(stepAlone), Schedule.spaced("50 millis")))
    yield* Effect.addFinalizer(() => Effect.ignore(stepAlone))

    const requests = Requests.of({
      // looks at `recent` before the query and after it: in between, a step may have moved a delivery to the table
      find: (digest) =>
        Effect.suspend(() => {
          const before = recent.get(digest)
          const here = latest.find(digest)
          if (here !== undefined) return Effect.succeed({ ...here, delivered: before === here.n })
          return Effect.map(Effect.andThen(ready, Effect.request(new Find({ digest }), resolver)), (known) =>
            known !== undefined && (before === known.n || recent.get(digest) === known.n)
              ? { ...known, delivered: true }
              : known
          )
        }),
      delivered: (digest, n) => {
        recent.set(digest, n)
      }
    })
    const noting = EventStore.of({
      ...store,
      append: (append) =>
        Effect.uninterruptible(
          Effect.map(store.append(append), (appended) => {
            latest.note(append, appended, at)
            return appended
          })
        )
    })
    return Context.make(Requests, requests).pipe(Context.add(EventStore, noting))
  })
)
