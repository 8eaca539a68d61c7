import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Predicate, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { positionOf } from "#engine/Position.ts"
import { Given, type Projection, schemaOf } from "#engine/Projection.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { type Build, BuildMoved, ReadModels, ReadModelsUnavailable } from "#engine/ports/ReadModels.ts"
import { awake } from "../silence.ts"
import * as PostgresTelling from "../telling.ts"
import { transaction } from "../transaction.ts"
import { onOne } from "../watched.ts"
import { makeMoves } from "./moves.ts"
import { applyEvents, createTables, differences, dropTables, forgetTables, keepTables, showBuild } from "./tables.ts"
import { others, retire } from "./versions.ts"

interface BuildRow {
  readonly build: number
  readonly position: bigint
  readonly live: boolean
}

interface CheckpointRow {
  readonly name: string
  readonly version: number
  readonly position: bigint
  readonly changed: bigint
}

const named = (projections: ReadonlyArray<Projection>): string =>
  JSON.stringify(projections.map(({ name, version }) => ({ name, version })))

/**
 * Settings of the transactions that take events into read models. They do not wait for the disk: a crash loses rows and
 * position together, and the events are taken in again. They keep generic plans (docs/decisions/0126): for a row or two
 * Postgres deems a custom plan cheaper, and planning each table's statements at each call took longer than running
 * them. A generic plan may be made while a table is empty, so it must not scan sequentially where there is an index.
 * Where there is none, the scan then seems so costly that PostgreSQL 15 would compile it: hence no JIT.
 */
const settings = Object.entries({
  synchronous_commit: "off",
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  jit: "off"
})
  .map(([name, value]) => `set_config('${name}', '${value}', true) AS ${name}`)
  .join(", ")

/** The number of the lock of whoever makes a first build, beside that of claims (5020719) and texts (5020720). */
const building = 5020721

const nameOf = ({ projection }: Build) => projection.name

/** What the server, or the connection, said: the driver wraps it. */
const innermost = (error: unknown): string =>
  Predicate.hasProperty(error, "cause") && error.cause instanceof Error
    ? innermost(error.cause)
    : error instanceof Error
      ? error.message
      : String(error)

/** Read models in Postgres: each build has a schema, and views show the live one. */
export const layer = Layer.effect(
  ReadModels,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const most = yield* Bounds
    const given = yield* Given
    // how long the server may be silent is not for the clock of whoever asks
    const clock = yield* Clock.Clock
    const { tell, told } = yield* makeMoves

    // all reads of the process wait for some of these, and the projector for others
    const one = onOne(sql)
    // what is written may wait for others'
    const write = onOne(sql, true)

    const here = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, PgClient.PgClient, sql)
    const unavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.mapError(Effect.provideService(effect, Clock.Clock, clock), (error) =>
        typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"
          ? new ReadModelsUnavailable({ message: innermost(error) })
          : (error as Exclude<E, { readonly _tag: "SqlError" }>)
      )

    const find = ({ name, version }: Projection) =>
      sql<BuildRow>`SELECT build, position, live FROM read_models WHERE name = ${name} AND version = ${version} AND live`

    const make = Effect.fnUntraced(function* (projection: Projection, live: boolean) {
      const { name, version } = projection
      const [row] = yield* sql<BuildRow>`
        INSERT INTO read_models (name, version, build, live)
        SELECT ${name}, ${version}, coalesce(max(build), 0) + 1, ${live} FROM read_models
        WHERE name = ${name} AND version = ${version} RETURNING build, position, live`
      yield* here(createTables(projection, row!.build))
      if (live) yield* here(showBuild(projection, row!.build))
      return row!
    })

    const asBuild = (projection: Projection, { build, position, live }: BuildRow): Build => ({
      projection,
      build,
      position: positionOf(position),
      live
    })

    const begun = Effect.fnUntraced(function* (projection: Projection) {
      // Two processes that start at once make one build. To lock the whole table would close a ring that Postgres can't
      // see: this would wait for the projector's update, that for the row that a replay holds, and the replay's own
      // update for this.
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' ' || ${schemaOf(projection)}, ${building}))`
      const [now] = yield* find(projection)
      return now ?? (yield* make(projection, true))
    })

    const live = Effect.fnUntraced(function* (projection: Projection) {
      const [known] = yield* one(find(projection))
      return asBuild(projection, known ?? (yield* begun(projection).pipe(transaction(sql))))
    })

    const places = (builds: ReadonlyArray<Build>) =>
      builds.map(({ projection: { name, version }, build, position, live }) => ({
        name,
        version,
        build,
        position,
        live
      }))

    const apply: ReadModels["Service"]["apply"] = (builds, events, to) =>
      Effect.gen(function* () {
        // This comes first: a process that holds a build thereby keeps this one out of the build's tables, not only out
        // of its position, and a build that is no longer live gets no more events.
        const moved = yield* sql.unsafe<{ name: string }>(
          `UPDATE read_models m SET position = $1
           FROM json_to_recordset($2::text::json) AS b (name text, version int, build int, position bigint, live boolean),
             ${settings}
           WHERE (m.name, m.version, m.build, m.position, m.live) = (b.name, b.version, b.build, b.position, b.live)
           RETURNING m.name`,
          [BigInt(to), JSON.stringify(places(builds))]
        )
        if (moved.length < builds.length) return yield* new BuildMoved({ name: builds.map(nameOf).join(", ") })
        const changed: Array<Build> = []
        for (const build of builds) {
          if (yield* here(applyEvents(build.projection, build.build, events, given, most))) changed.push(build)
        }
        if (changed.length > 0) {
          yield* sql.unsafe(
            `UPDATE read_models m SET changed = $1
             FROM json_to_recordset($2::text::json) AS b (name text, version int, build int)
             WHERE (m.name, m.version, m.build) = (b.name, b.version, b.build)`,
            [BigInt(events.at(-1)!.position), JSON.stringify(places(changed))]
          )
        }
        return builds.map((build) => ({ ...build, position: to }))
      }).pipe(transaction(sql), unavailable)

    /** Tries again while readers that began before another build was promoted still use this one. */
    const drop = ({ projection, build }: Build) =>
      Effect.gen(function* () {
        const { name, version } = projection
        const gone = yield* sql<BuildRow>`DELETE FROM read_models
          WHERE name = ${name} AND version = ${version} AND build = ${build} AND NOT live RETURNING build, position, live`
        if (gone.length > 0) yield* here(dropTables(projection, build))
      }).pipe(transaction(sql), Effect.retry({ times: 20, schedule: Schedule.spaced("250 millis") }), unavailable)

    /** Drops what killed replays have left, and a running one's build: that one learns that it has moved. */
    const dropUnfinished = Effect.fnUntraced(function* (projection: Projection) {
      const { name, version } = projection
      const left = yield* one(sql<BuildRow>`
        SELECT build, position, live FROM read_models WHERE name = ${name} AND version = ${version} AND NOT live`)
      yield* Effect.forEach(left, (row) => drop(asBuild(projection, row)), { discard: true })
    })

    /**
     * Runs an effect on other connections than that of the transaction around it, which stays awake meanwhile. Fails
     * when that has ended.
     */
    const apart = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
      Effect.updateContext(
        effect,
        (context: Context.Context<R>) => Context.omit(sql.transactionService)(context) as never
      ).pipe(Effect.raceFirst(awake(sql)))

    /** Locks the live build in a transaction, so that it stays where it is while `use` runs. */
    const hold = <A, E, R>(projection: Projection, use: (live: Build) => Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const { name, version } = projection
        const [row] = yield* sql<BuildRow>`
          SELECT build, position, live FROM read_models WHERE name = ${name} AND version = ${version} AND live FOR UPDATE`
        // it waited for another replay, whose build is the live one now
        if (row === undefined) return yield* new ReadModelsUnavailable({ message: `${name} was just replaced` })
        return yield* use(asBuild(projection, row))
      }).pipe(transaction(sql))

    return ReadModels.of({
      live: (projection) => unavailable(live(projection)),
      begin: (projection) =>
        Effect.andThen(
          dropUnfinished(projection),
          Effect.map(make(projection, false), (row) => asBuild(projection, row)).pipe(transaction(sql))
        ).pipe(unavailable),
      apply,
      compare: (projection, bring, limit) =>
        Effect.gen(function* () {
          yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`
          const snapshot = yield* Effect.context<never>()
          const held = yield* apart(
            hold(projection, (live) =>
              Effect.gen(function* () {
                const rebuilt = yield* apart(bring(live))
                // the first query takes the snapshot: from here on the live build may go on
                yield* Effect.provideContext(sql`SELECT 1`, snapshot)
                return { live, rebuilt }
              })
            )
          )
          const found = yield* differences(projection, held.live.build, held.rebuilt.build, limit, most)
          return { ...held, differences: found }
        }).pipe(transaction(sql), here, unavailable),
      promote: (projection, bring) =>
        hold(projection, (live) =>
          Effect.gen(function* () {
            const { name, version } = projection
            const rebuilt = yield* apart(bring(live))
            yield* sql`UPDATE read_models SET live = false
              WHERE name = ${name} AND version = ${version} AND build = ${live.build}`
            yield* here(showBuild(projection, rebuilt.build, live.build))
            // to readers that keep what they have read, all of it has changed
            yield* sql`UPDATE read_models SET live = true, changed = position
              WHERE name = ${name} AND version = ${version} AND build = ${rebuilt.build}`
            return { live, rebuilt }
          })
        ).pipe(unavailable),
      keep: ({ projection, build }, schema) =>
        Effect.gen(function* () {
          const { name, version } = projection
          const gone = yield* sql<BuildRow>`DELETE FROM read_models
            WHERE name = ${name} AND version = ${version} AND build = ${build} AND NOT live RETURNING build, position, live`
          if (gone.length === 0) return yield* new BuildMoved({ name })
          const kept = yield* here(keepTables(projection, build, schema))
          yield* here(dropTables(projection, build))
          return kept
        }).pipe(transaction(sql), unavailable),
      forget: (schema) => here(forgetTables(schema)).pipe(transaction(sql), unavailable),
      unfinished: unavailable(
        Effect.map(
          one(sql<BuildRow & Pick<CheckpointRow, "name" | "version">>`
            SELECT name, version, build, position, live FROM read_models WHERE NOT live ORDER BY name, version, build`),
          (rows) => rows.map(({ name, version, ...row }) => asBuild({ name, version, tables: {} }, row))
        )
      ),
      drop,
      checkpoints: (projections) =>
        unavailable(
          Effect.map(
            one(
              sql.unsafe<CheckpointRow>(
                `SELECT m.name, m.version, m.position, m.changed FROM json_to_recordset($1::text::json) AS p (name text, version int)
                 JOIN read_models m ON m.name = p.name AND m.version = p.version AND m.live`,
                [named(projections)]
              )
            ),
            (rows) =>
              new Map(
                rows.map(({ position, changed, ...row }) => [
                  schemaOf({ ...row, tables: {} }),
                  { position: positionOf(position), changed: positionOf(changed) }
                ])
              )
          )
        ),
      others: (projections) => unavailable(one(here(others(named(projections))))),
      retire: (other) => here(retire(other)).pipe(transaction(sql), unavailable),
      reaction: (name) =>
        Effect.gen(function* () {
          // mostly the row is there: then nothing is written, and nothing waits for the disk
          const [known] = yield* sql<{ position: bigint }>`SELECT position FROM reactions WHERE name = ${name}`
          const [row] =
            known === undefined
              ? yield* sql<{ position: bigint }>`INSERT INTO reactions (name, position) VALUES (${name}, 0)
                  ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING position`
              : [known]
          return positionOf(row!.position)
        }).pipe(one, unavailable),
      advance: (name, from, to) =>
        unavailable(
          Effect.map(
            write(sql<{ name: string }>`UPDATE reactions SET position = ${BigInt(to)}
              WHERE name = ${name} AND position = ${BigInt(from)} RETURNING name`),
            (rows) => rows.length > 0
          )
        ),
      advanceAll: (advances) =>
        unavailable(
          Effect.map(
            write(
              sql.unsafe<{ name: string }>(
                `UPDATE reactions r SET position = a."to"
                 FROM json_to_recordset($1::text::json) AS a (name text, "from" bigint, "to" bigint)
                 WHERE r.name = a.name AND r.position = a."from" RETURNING r.name`,
                [JSON.stringify(advances)]
              )
            ),
            (rows) => new Set(rows.map(({ name }) => name))
          )
        ),
      tell,
      told
    })
  })
).pipe(Layer.provide(PostgresTelling.layer))
