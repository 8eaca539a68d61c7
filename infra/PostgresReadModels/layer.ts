import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schedule } from "effect"
import { type Projection, schemaOf } from "#ports/Projection.ts"
import { type Build, BuildMoved, ReadModels, ReadModelsUnavailable } from "#ports/ReadModels.ts"
import { applyEvents, createTables, differences, dropTables, showBuild } from "./tables.ts"

interface BuildRow {
  readonly build: number
  readonly position: bigint
}

/** Read models in Postgres: a schema a build, views on the live one. */
export const layer = Layer.effect(
  ReadModels,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const here = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, PgClient.PgClient, sql)
    const unavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.mapError(effect, (error) =>
        typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"
          ? new ReadModelsUnavailable({ message: String((error as { cause?: unknown }).cause ?? error) })
          : (error as Exclude<E, { readonly _tag: "SqlError" }>)
      )

    const find = ({ name, version }: Projection) =>
      sql<BuildRow>`SELECT build, position FROM read_models WHERE name = ${name} AND version = ${version} AND live`

    const make = Effect.fnUntraced(function* (projection: Projection, live: boolean) {
      const { name, version } = projection
      const [row] = yield* sql<BuildRow>`
        INSERT INTO read_models (name, version, build, live)
        SELECT ${name}, ${version}, coalesce(max(build), 0) + 1, ${live} FROM read_models
        WHERE name = ${name} AND version = ${version} RETURNING build, position`
      yield* here(createTables(projection, row!.build))
      if (live) yield* here(showBuild(projection, row!.build))
      return row!
    })

    const asBuild = (projection: Projection, { build, position }: BuildRow): Build => ({
      projection,
      build,
      position: Number(position)
    })

    const live = Effect.fnUntraced(function* (projection: Projection) {
      const [known] = yield* find(projection)
      if (known !== undefined) return asBuild(projection, known)
      // two processes that start at once make one build
      yield* sql`LOCK TABLE read_models IN SHARE ROW EXCLUSIVE MODE`
      const [now] = yield* find(projection)
      return asBuild(projection, now ?? (yield* make(projection, true)))
    })

    const apply: ReadModels["Service"]["apply"] = (build, events, to) => {
      const { name, version } = build.projection
      return Effect.gen(function* () {
        // first, so that whoever holds the build keeps this out of its tables too, and not only out of its position
        const moved = yield* sql<BuildRow>`
          UPDATE read_models SET position = ${BigInt(to)}
          WHERE name = ${name} AND version = ${version} AND build = ${build.build}
            AND position = ${BigInt(build.position)} RETURNING build, position`
        if (moved.length === 0) return yield* new BuildMoved({ name })
        if (yield* here(applyEvents(build.projection, build.build, events))) {
          yield* sql`UPDATE read_models SET changed = ${BigInt(events.at(-1)!.position)}
            WHERE name = ${name} AND version = ${version} AND build = ${build.build}`
        }
        return { ...build, position: to }
      }).pipe(sql.withTransaction, unavailable)
    }

    /** Readers that began before another build was promoted may still be at it: then it is tried again. */
    const drop = ({ projection, build }: Build) =>
      Effect.gen(function* () {
        const { name, version } = projection
        const gone = yield* sql<BuildRow>`DELETE FROM read_models
          WHERE name = ${name} AND version = ${version} AND build = ${build} AND NOT live RETURNING build, position`
        if (gone.length > 0) yield* here(dropTables(projection, build))
      }).pipe(sql.withTransaction, Effect.retry({ times: 20, schedule: Schedule.spaced("250 millis") }), unavailable)

    /** What a killed replay has left, and what another one is at: that one is told that its build has moved. */
    const dropUnfinished = Effect.fnUntraced(function* (projection: Projection) {
      const { name, version } = projection
      const left = yield* sql<BuildRow>`
        SELECT build, position FROM read_models WHERE name = ${name} AND version = ${version} AND NOT live`
      yield* Effect.forEach(left, (row) => drop(asBuild(projection, row)), { discard: true })
    })

    return ReadModels.of({
      live: (projection) => live(projection).pipe(sql.withTransaction, unavailable),
      begin: (projection) =>
        Effect.andThen(
          dropUnfinished(projection),
          Effect.map(make(projection, false), (row) => asBuild(projection, row)).pipe(sql.withTransaction)
        ).pipe(unavailable),
      apply,
      hold: (projection, use) =>
        Effect.gen(function* () {
          const { name, version } = projection
          const [row] = yield* sql<BuildRow>`
            SELECT build, position FROM read_models WHERE name = ${name} AND version = ${version} AND live FOR UPDATE`
          // the one that it waited for was another replay, whose build is the live one now
          if (row === undefined) return yield* new ReadModelsUnavailable({ message: `${name} was just replaced` })
          return yield* use(asBuild(projection, row))
        }).pipe(sql.withTransaction, unavailable),
      compare: (a, b, limit) => unavailable(here(differences(a.projection, a.build, b.build, limit))),
      promote: ({ projection, build }) =>
        Effect.gen(function* () {
          const { name, version } = projection
          const [old] = yield* sql<BuildRow>`UPDATE read_models SET live = false
            WHERE name = ${name} AND version = ${version} AND live RETURNING build, position`
          yield* here(showBuild(projection, build, old?.build))
          // all of it has changed, as far as those can tell who keep what they once read
          yield* sql`UPDATE read_models SET live = true, changed = position
            WHERE name = ${name} AND version = ${version} AND build = ${build}`
        }).pipe(sql.withTransaction, unavailable),
      drop,
      standings: unavailable(
        Effect.map(
          sql<{ head: bigint; name: string; version: number; position: bigint; changed: bigint }>`
            SELECT l.head, m.name, m.version, m.position, m.changed
            FROM (SELECT coalesce(max(position), 0) AS head FROM events) l LEFT JOIN read_models m ON m.live`,
          (rows) => ({
            head: Number(rows[0]?.head ?? 0n),
            models: new Map(
              rows
                .filter(({ name }) => name !== null)
                .map((row) => [
                  schemaOf({ ...row, tables: {} }),
                  { position: Number(row.position), changed: Number(row.changed) }
                ])
            )
          })
        )
      ),
      reaction: (name) =>
        unavailable(
          Effect.map(
            sql<{ position: bigint }>`INSERT INTO reactions (name, position) VALUES (${name}, 0)
              ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING position`,
            ([row]) => Number(row!.position)
          )
        ),
      advance: (name, from, to) =>
        unavailable(
          Effect.map(
            sql<{ name: string }>`UPDATE reactions SET position = ${BigInt(to)}
              WHERE name = ${name} AND position = ${BigInt(from)} RETURNING name`,
            (rows) => rows.length > 0
          )
        )
    })
  })
)
