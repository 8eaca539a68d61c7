import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { beginning, positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { ReadModels, ReadModelsUnavailable } from "#engine/ports/ReadModels.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { table } from "#projections/table.ts"
import { freshStore } from "../stores.ts"

const model = (name: string, version: number): Projection => ({
  name,
  version,
  tables: { rows: table<{ readonly id: string }>({ columns: { id: "text" }, on: {} }) }
})

const [One, Two, Other] = [model("built", 1), model("built", 2), model("other", 1)]

describe("builds of read models", () =>
  layer(PostgresReadModels.layer.pipe(Layer.provide(EmbeddingTable.layer), Layer.provideMerge(freshStore)), {
    excludeTestServices: true
  })((it) => {
    it.effect("one that is begun again takes the place of the one before, also where no other has any", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const alone = model("alone", 7)
        yield* models.live(alone)
        for (const _ of [1, 2, 3]) assert.strictEqual((yield* models.begin(alone)).build, 2)
        const rows = yield* sql`SELECT build, live FROM read_models WHERE name = 'alone' ORDER BY build`
        assert.deepStrictEqual(rows, [
          { build: 1, live: true },
          { build: 2, live: false }
        ])
      })
    )

    const tables = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ schema: string }>`SELECT schemaname AS schema FROM pg_tables
        WHERE schemaname LIKE 'built%' OR schemaname LIKE 'other%' ORDER BY 1`
      return rows.map(({ schema }) => schema)
    })

    it.effect("a new one takes the place of those of its projection and version that were left, and of none else", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        for (const projection of [One, Two, Other]) yield* models.live(projection)
        for (const projection of [One, Two, Other]) yield* models.begin(projection)
        const lives = ["built_v1_b1", "built_v2_b1", "other_v1_b1"]
        const begun = ["built_v1_b2", "built_v2_b2", "other_v1_b2"]
        assert.deepStrictEqual(yield* tables, [...lives, ...begun].sort())
        const again = yield* models.begin(One)
        assert.deepStrictEqual([again.live, again.position], [false, 0])
        assert.deepStrictEqual(yield* tables, [...lives, ...begun].sort())
        // the live one is never dropped, also by who thinks that it is not
        const live = yield* models.live(One)
        yield* models.drop({ ...live, live: false })
        assert.deepStrictEqual(yield* tables, [...lives, ...begun].sort())
        assert.strictEqual((yield* Effect.flip(models.keep(live, "kept_of_a_test")))._tag, "BuildMoved")
      })
    )

    it.effect("one that is promoted is the live one of its projection and version, and the others' stay theirs", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const before = yield* Effect.forEach([Two, Other], models.live)
        const build = yield* models.begin(One)
        const met = yield* models.promote(One, () =>
          Effect.map(models.apply([build], [], positionOf(7)), ([moved]) => moved!)
        )
        assert.deepStrictEqual([met.live.build, met.rebuilt.build], [1, build.build])
        const live = yield* models.live(One)
        assert.deepStrictEqual([live.build, live.position, live.live], [build.build, 7, true])
        assert.deepStrictEqual(yield* Effect.forEach([Two, Other], models.live), before)
        const checkpoints = yield* models.checkpoints([One, Two, Other])
        assert.deepStrictEqual(
          [...checkpoints].map(([name, { position, changed }]) => [name, position, changed]).sort(),
          [
            ["built_v1", 7, 7],
            ["built_v2", 0, 0],
            ["other_v1", 0, 0]
          ]
        )
        // whoever held the old one can't move it on
        assert.strictEqual((yield* Effect.flip(models.apply([met.live], [], positionOf(9))))._tag, "BuildMoved")
        yield* models.drop(met.live)
        assert.notInclude(yield* tables, "built_v1_b1")
        assert.include(yield* tables, `built_v1_b${live.build}`)
      })
    )

    it.effect("a reaction's checkpoint moves from where it stands, and each has its own", () =>
      Effect.gen(function* () {
        const { reaction, advance } = yield* ReadModels
        assert.deepStrictEqual([yield* reaction("a"), yield* reaction("b")], [0, 0])
        assert.isTrue(yield* advance("a", beginning, positionOf(5)))
        assert.isFalse(yield* advance("a", beginning, positionOf(9)))
        const sql = yield* SqlClient.SqlClient
        const written = sql<{
          by: string
        }>`SELECT xmin::text AS by FROM reactions WHERE name IN ('a', 'b') ORDER BY name`
        const before = yield* written
        assert.deepStrictEqual([yield* reaction("a"), yield* reaction("b")], [5, 0])
        // to ask where it is writes nothing
        assert.deepStrictEqual(yield* written, before)
      })
    )

    it.effect("that can't be asked fail as such, with what the database says", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const broken = model('bro"ken', 1)
        for (const failing of [models.live(broken), models.begin(broken)]) {
          const error = yield* Effect.flip(failing)
          assert.strictEqual(error._tag, "ReadModelsUnavailable")
          // what the database says, and not only that something went wrong
          assert.match(error.message, /^syntax error at or near "ken_v1/)
        }
        const never = model("never_live", 1)
        const missing = yield* Effect.flip(models.promote(never, () => Effect.die("nothing to bring")))
        assert.deepStrictEqual(missing, new ReadModelsUnavailable({ message: "never_live was just replaced" }))
        const live = yield* models.live(Other)
        const nowhere = Effect.succeed({ ...live, build: 99 })
        for (const failing of [
          Effect.asVoid(models.apply([live], [], positionOf(1e30))),
          Effect.asVoid(models.promote(Other, () => nowhere))
        ]) {
          assert.strictEqual((yield* Effect.flip(failing))._tag, "ReadModelsUnavailable")
        }
        assert.deepStrictEqual(yield* models.live(Other), live)
      })
    )
  }))
