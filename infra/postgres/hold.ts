import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Cause, Clock, Context, Deferred, Effect, Exit, Layer, Schedule, Schema, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { Claims } from "#engine/ports/Claims.ts"
import { saying } from "#engine/saying.ts"
import { Hold, NotOurs } from "#ports/Hold.ts"
import { channel, makeClaims, type Session } from "./claims.ts"
import { servedOrUnknown, unanswered } from "./served.ts"
import { keepalives } from "./silence.ts"
import { within } from "./within.ts"

/** The first half of the lock's key, beside the append's (5020717); the schema's name gives the second half. */
const lock = 5_020_718
/** Milliseconds that a killed process's session has to end before its lock counts as another process's. */
const patience = 3_000
/** The time between two looks for a folder that is away: each look takes a session. */
const lookAfter = "800 millis"

/** An idle session must not be ended; a machine that is gone must lose its locks in half a minute. */
const settings = [
  "SET idle_session_timeout = 0",
  ...Object.entries(keepalives).map(([name, value]) => `SET ${name} = ${value}`)
]

const sharing = `SELECT pg_try_advisory_lock_shared(${lock}, hashtext(current_schema())) AS had`
const taking = `SELECT pg_try_advisory_lock(${lock}, hashtext(current_schema())) AS had`
const asking = "SELECT true AS had"
const holding = `SELECT a.application_name AS name, a.client_addr::text AS address
  FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ${lock} AND l.objsubid = 2 AND a.datname = current_database()
    AND l.objid::bigint = hashtext(current_schema())::bigint & 4294967295`

/** Another process on the database. */
export interface OtherProcess {
  /** Its name in the folder that it shares with others. */
  readonly token: string
  /** For an operator: its process id, its machine and, if Postgres tells it, its address. */
  readonly who: string
}

interface Row {
  readonly name: string
  readonly address: string | null
}

const otherOf = ({ name, address }: Row): OtherProcess => {
  const [, who, token] = /^cairn (.+) ([0-9a-f]{8})$/.exec(name) ?? [undefined, "another process", ""]
  return { token: token!, who: address === null ? who! : `${who}, from ${address}` }
}

/**
 * Nobody can tell whose the folder is: it, or its disk, may not be mounted. At a start that is `NotOurs`; a service
 * that has been admitted waits for the folder.
 */
export class FolderAway extends Schema.TaggedError<FolderAway>()("FolderAway", { message: Schema.String }) {}

/** For a caller that does not wait for the folder: it counts as somebody else's. */
export const notWaited = ({ message }: FolderAway) => Effect.fail(new NotOurs({ message }))

/** Succeeds if a process may be on the database beside those that are; it may run `others` any number of times. */
export type Admit = (
  token: string,
  others: Effect.Effect<ReadonlyArray<OtherProcess>, SqlError>
) => Effect.Effect<void, NotOurs | FolderAway | SqlError, PgClient.PgClient | SqlClient.SqlClient | Scope.Scope>

const refuse = (holder: Row | undefined, wanted: string) => {
  const who = holder === undefined ? "another process" : otherOf(holder).who
  return new NotOurs({ message: `the database is in use by another Cairn (${who}). ${wanted}` })
}

/**
 * Takes a lock of the database by `statement`, on a session that does nothing but hold locks: they go with the process,
 * however that ends. When the session is lost, takes the lock again.
 */
const make = Effect.fnUntraced(function* (statement: string, wanted: string, admit: Admit) {
  const { config } = yield* PgClient.PgClient
  const context = yield* Effect.context<PgClient.PgClient | SqlClient.SqlClient>()
  const outer = yield* Effect.scope
  const token = randomBytes(4).toString("hex")
  // a process that is refused is told this
  const self = `cairn process ${process.pid} on ${hostname().slice(0, 24)} ${token}`

  const attempt = Effect.fnUntraced(function* () {
    const scope = yield* Scope.fork(outer)
    const connecting = PgConnection.make({ ...config, applicationName: self, connectTimeout: "5 seconds" })
    return yield* Effect.gen(function* () {
      const pinned = yield* Scope.provide(
        Effect.flatMap(connecting, ({ pin }) => pin),
        scope
      )
      const goesOn = servedOrUnknown({ ...config, applicationName: self }, () => pinned.processId)
      const rows = (query: string, parameters: ReadonlyArray<unknown>) =>
        Effect.map(within(pinned.query(query, parameters, false), "10 seconds", unanswered, goesOn), ({ rows }) => rows)
      const others = Effect.map(rows(holding, []), (found) =>
        (found as unknown as ReadonlyArray<Row>).filter(({ name }) => name !== self)
      )
      const [row] = yield* rows(statement, [])
      if (row?.["had"] === true) {
        for (const setting of settings) yield* Effect.ignore(rows(setting, []))
        const listening = Scope.provide(pinned.listen(channel), scope)
        const heard = yield* within(listening, "10 seconds", unanswered, goesOn)
        const admitting = admit(
          token,
          Effect.map(others, (found) => found.map(otherOf))
        )
        yield* Effect.provideContext(Scope.provide(admitting, scope), context)
        return { session: { query: rows, heard } satisfies Session, scope, holder: undefined }
      }
      const found = (yield* rows(holding, [])) as unknown as ReadonlyArray<Row>
      yield* Scope.close(scope, Exit.void)
      return { session: undefined, scope, holder: found[0] }
    }).pipe(Effect.onError(() => Scope.close(scope, Exit.void)))
  })

  /** Takes the lock. Fails if another process has it, but not if an earlier session of this process still does. */
  const take = Effect.gen(function* () {
    const since = yield* Clock.currentTimeMillis
    for (;;) {
      const { session, scope, holder } = yield* attempt()
      if (session !== undefined) return { session, scope }
      const ours = holder?.name === self
      if (!ours && (yield* Clock.currentTimeMillis) - since > patience) return yield* refuse(holder, wanted)
      yield* Effect.sleep("100 millis")
    }
  })

  const first = yield* Effect.catchTag(take, "FolderAway", notWaited)
  const { say, over } = saying()
  const waiting = (error: FolderAway) =>
    Effect.andThen(
      say(Cause.fail(error), Effect.logWarning(`the service's locks wait for its folder: ${error.message}`)),
      Effect.sleep(lookAfter)
    )
  const claims = yield* makeClaims
  const lost = yield* Deferred.make<never, NotOurs>()
  yield* Effect.gen(function* () {
    for (let held = first; ; ) {
      yield* claims.on(held.session)
      yield* Effect.logWarning("the database session that holds the service's locks was lost; taking them again")
      yield* Effect.ignore(Scope.close(held.scope, Exit.void))
      // a database that is away does not belong to somebody else, nor does such a folder
      held = yield* Effect.tapErrorTag(take, "FolderAway", waiting).pipe(
        // a fault of ours must not leave the process without its locks for good
        Effect.catchDefect((defect) =>
          Effect.andThen(
            say(Cause.die(defect), Effect.logError("the service's locks can't be taken again", defect)),
            Effect.fail(unanswered())
          )
        ),
        Effect.retry({ while: ({ _tag }) => _tag !== "NotOurs", schedule: Schedule.spaced("200 millis") })
      )
      yield* over(Effect.logInfo("the service has its locks again"))
    }
  }).pipe(
    Effect.catchTags({ NotOurs: (error) => Deferred.fail(lost, error), FolderAway: Effect.die, SqlError: Effect.die }),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => claims.givenAway)
  return { hold: Hold.of({ lost: Deferred.await(lost) }), claiming: claims.claiming }
})

/** For one of any number of services, each of which must be admitted; with the claims for what one does alone. */
export const shared = (admit: Admit) =>
  Layer.effectContext(
    Effect.map(
      make(sharing, "It is to be alone on it for a moment, or is of an older release: wait, or stop it.", admit),
      ({ hold, claiming }) => Context.make(Hold, hold).pipe(Context.add(Claims, claiming))
    )
  )

/** Claims for a command that is no service and keeps none away: it claims what it does, as services do. */
export const beside = Layer.effect(
  Claims,
  Effect.map(
    make(asking, "", () => Effect.void),
    ({ claiming }) => claiming
  )
)

/** For the only process on the database. */
export const alone = Layer.effect(
  Hold,
  Effect.map(
    make(taking, "Stop that one first, and all others that are on this database.", () => Effect.void),
    ({ hold }) => hold
  )
)
