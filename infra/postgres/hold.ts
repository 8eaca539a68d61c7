import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Clock, Deferred, Effect, Exit, Layer, Schedule, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Hold, NotOurs } from "#ports/Hold.ts"

/** The lock's number, beside the one of the append (5020717); the schema's name is its second half. */
const lock = 5_020_718
/** Milliseconds in which a killed service's session has to go before its lock counts as another one's. */
const patience = 3_000
/** How often the session that holds the lock is looked at, and what an answer may take. */
const watch = "1 second"
const answerWithin = "5 seconds"

/** Not wanted: an idle session that is ended. Wanted: a machine that is gone loses its lock in half a minute. */
const settings = [
  "SET idle_session_timeout = 0",
  "SET tcp_keepalives_idle = 10",
  "SET tcp_keepalives_interval = 5",
  "SET tcp_keepalives_count = 3"
]

const taking = `SELECT pg_try_advisory_lock(${lock}, hashtext(current_schema())) AS had`
const holding = `SELECT a.application_name AS name, a.client_addr::text AS address
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ${lock} AND l.objsubid = 2 AND a.datname = current_database()`

/** Who holds it, as far as Postgres tells. */
interface Holder {
  readonly name: string
  readonly address: string | null
}

const another = (holder: Holder | undefined): NotOurs => {
  const who = holder?.name.replace(/^cairn /, "").replace(/ [0-9a-f]{8}$/, "") || "another process"
  const from = holder?.address == null ? "" : `, from ${holder.address}`
  return new NotOurs({
    message: `the database is in use by another Cairn service (${who}${from}). One database has one service: stop that one, or set DATABASE_URL to a database of its own.`
  })
}

/**
 * A lock of the database's own, on a session that does nothing else: it goes with the process however that ends. The session
 * is watched; when it is lost the lock is taken again, unless another service has it by then.
 */
export const layer = Layer.effect(
  Hold,
  Effect.gen(function* () {
    const { config } = yield* PgClient.PgClient
    const outer = yield* Effect.scope
    // told to whoever is refused
    const self = `cairn process ${process.pid} on ${hostname().slice(0, 24)} ${randomBytes(4).toString("hex")}`

    const attempt = Effect.fnUntraced(function* () {
      const scope = yield* Scope.fork(outer)
      const connecting = PgConnection.make({ ...config, applicationName: self, connectTimeout: "5 seconds" })
      return yield* Effect.gen(function* () {
        const session = yield* Scope.provide(connecting, scope)
        const [row] = (yield* session.query(taking, [], false)).rows
        if (row?.["had"] === true) {
          for (const setting of settings) yield* Effect.ignore(session.query(setting, [], false))
          return { session, scope, holder: undefined }
        }
        const [holder] = (yield* session.query(holding, [], false)).rows as unknown as ReadonlyArray<Holder>
        yield* Scope.close(scope, Exit.void)
        return { session: undefined, scope, holder }
      }).pipe(Effect.onError(() => Scope.close(scope, Exit.void)))
    })

    /** Takes the lock; another service's refuses it, a session of this process's that has yet to be noticed as dead does not. */
    const take = Effect.fnUntraced(function* () {
      const since = yield* Clock.currentTimeMillis
      for (;;) {
        const { session, scope, holder } = yield* attempt()
        if (session !== undefined) return { session, scope }
        const ours = holder?.name === self
        if (!ours && (yield* Clock.currentTimeMillis) - since > patience) return yield* another(holder)
        yield* Effect.sleep("100 millis")
      }
    })

    let held = yield* take()
    const lost = yield* Deferred.make<never, NotOurs>()

    const look = Effect.suspend(() => held.session.query("SELECT 1", [], false)).pipe(
      Effect.timeout(answerWithin),
      Effect.asVoid
    )
    const again = Effect.gen(function* () {
      yield* Effect.logWarning("the database session that holds the service's lock was lost; taking it again")
      yield* Effect.ignore(Scope.close(held.scope, Exit.void))
      // a database that is away has no other service either
      held = yield* Effect.retry(take(), {
        while: (error: SqlError | NotOurs) => error._tag === "SqlError",
        schedule: Schedule.spaced("1 second")
      })
    })
    yield* Effect.forever(
      Effect.andThen(
        Effect.sleep(watch),
        Effect.catch(look, () => again)
      )
    ).pipe(
      Effect.catchTag("NotOurs", (error) => Deferred.fail(lost, error)),
      Effect.forkScoped
    )
    return Hold.of({ lost: Deferred.await(lost) })
  })
)
