import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { type Projection, schemaOf } from "#ports/Projection.ts"
import { type Build, BuildMoved, ReadModels, ReadModelsUnavailable } from "#ports/ReadModels.ts"
import { applyEvents, buildSchema, createTables, differences, showBuild } from "./tables.ts"

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
        const changed = yield* here(applyEvents(build.projection, build.build, events))
        const moved = yield* sql<BuildRow>`
          UPDATE read_models SET position = ${BigInt(to)},
            changed = CASE WHEN ${changed} THEN ${BigInt(events.at(-1)?.position ?? 0)} ELSE changed END
          WHERE name = ${name} AND version = ${version} AND build = ${build.build}
            AND position = ${BigInt(build.position)} RETURNING build, position`
        if (moved.length === 0) return yield* new BuildMoved({ name })
        return { ...build, position: to }
      }).pipe(sql.withTransaction, unavailable)
    }

    const drop = ({ projection, build }: Build) =>
      Effect.gen(function* () {
        const { name, version } = projection
        yield* sql`DELETE FROM read_models WHERE name = ${name} AND version = ${version} AND build = ${build}`
        yield* sql.unsafe(`DROP SCHEMA IF EXISTS "${buildSchema(projection, build)}" CASCADE`)
      }).pipe(sql.withTransaction, unavailable)

    return ReadModels.of({
      live: (projection) => live(projection).pipe(sql.withTransaction, unavailable),
      begin: (projection) =>
        Effect.map(make(projection, false), (row) => asBuild(projection, row)).pipe(sql.withTransaction, unavailable),
      apply,
      hold: (projection, use) =>
        Effect.gen(function* () {
          const { name, version } = projection
          const [row] = yield* sql<BuildRow>`
            SELECT build, position FROM read_models WHERE name = ${name} AND version = ${version} AND live FOR UPDATE`
          return yield* use(asBuild(projection, row ?? { build: 0, position: 0n }))
        }).pipe(sql.withTransaction, unavailable),
      compare: (a, b, limit) => unavailable(here(differences(a.projection, a.build, b.build, limit))),
      promote: ({ projection, build }) =>
        Effect.gen(function* () {
          const { name, version } = projection
          const old = yield* find(projection)
          yield* sql`UPDATE read_models SET live = false WHERE name = ${name} AND version = ${version} AND live`
          yield* here(showBuild(projection, build))
          yield* sql`UPDATE read_models SET live = true
            WHERE name = ${name} AND version = ${version} AND build = ${build}`
          for (const row of old) yield* drop(asBuild(projection, row))
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
