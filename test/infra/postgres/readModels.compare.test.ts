import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { table } from "#projections/table.ts"
import { recorded } from "#test/recorded.ts"
import { freshStore } from "../stores.ts"

interface LetterRow {
  readonly id: string
  readonly text: string
}

const letters = (name: string): Projection => ({
  name,
  version: 1,
  tables: {
    letters: table<LetterRow>({
      columns: { id: "text", text: "text" },
      indexes: ["(text)"],
      on: {
        SnippetPublished: { rows: ({ snippet }) => [snippet], to: (_, { snippet }) => ({ id: snippet, text: snippet }) }
      }
    }),
    others: table<LetterRow>({ columns: { id: "text", text: "text" }, on: {} })
  }
})

const published = (names: string) =>
  [...names].map((snippet, index) => recorded(index + 1, SnippetEvent.cases.SnippetPublished.make({ snippet })))

const models = PostgresReadModels.layer.pipe(
  Layer.provide(EmbeddingTable.layer),
  // two whole differences, and a third that fills it
  Layer.provide(Layer.succeed(Bounds, { count: 5_000, bytes: 150 })),
  Layer.provideMerge(freshStore)
)

describe("two builds of a read model", () =>
  layer(models, { excludeTestServices: true })((it) => {
    /** The live build and one beside it, with what each has taken in. */
    const builds = Effect.fnUntraced(function* (projection: Projection, live: string, rebuilt: string) {
      const { apply, begin, live: find } = yield* ReadModels
      const take = (build: typeof one, names: string) => apply([build], published(names), positionOf(9))
      const one = yield* find(projection)
      yield* take(one, live)
      const [other] = yield* take(yield* begin(projection), rebuilt)
      return { live: one, other: other! }
    })

    it.effect("are compared row by row: what one has and the other not, or otherwise, so many a table", () =>
      Effect.gen(function* () {
        const { compare } = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const projection = letters("compared")
        const { other } = yield* builds(projection, "abcd", "bcde")
        yield* sql.unsafe("UPDATE compared_v1.letters SET text = 'forged' WHERE id = 'c'")
        const row = (id: string, text = id) => JSON.stringify({ id, text })
        const found = [
          { table: "letters", id: "a", live: row("a"), rebuilt: null },
          { table: "letters", id: "c", live: row("c", "forged"), rebuilt: row("c") },
          { table: "letters", id: "e", live: null, rebuilt: row("e") }
        ]
        const met = yield* compare(projection, () => Effect.succeed(other), 10)
        assert.deepStrictEqual(met.differences, found)
        assert.deepStrictEqual([met.live.build, met.live.position, met.rebuilt.build], [1, 9, other.build])
        const { differences } = yield* compare(projection, () => Effect.succeed(other), 2)
        assert.deepStrictEqual(differences, found.slice(0, 2))
      })
    )

    it.effect("are told apart by their ids alone, where the rows would be too much", () =>
      Effect.gen(function* () {
        const { compare } = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const projection = letters("long")
        const { other } = yield* builds(projection, "abc", "abc")
        const text = "x".repeat(60)
        yield* sql.unsafe(`UPDATE long_v1_b${other.build}.letters SET text = $1`, [text])
        const { differences } = yield* compare(projection, () => Effect.succeed(other), 10)
        const whole = (id: string) => ({
          table: "letters",
          id,
          live: JSON.stringify({ id, text: id }),
          rebuilt: JSON.stringify({ id, text })
        })
        const short = JSON.stringify({ id: "c" })
        assert.deepStrictEqual(differences, [
          whole("a"),
          whole("b"),
          { table: "letters", id: "c", live: short, rebuilt: short }
        ])
      })
    )

    it.effect("one that goes waits for who still reads it, and keeps nobody waiting who comes meanwhile", () =>
      Effect.gen(function* () {
        const { drop } = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const { other } = yield* builds(letters("goes"), "a", "ab")
        const read = sql.unsafe(`SELECT id FROM goes_v1_b${other.build}.letters`)
        const indexes = yield* sql`SELECT 1 FROM pg_indexes WHERE schemaname = ${`goes_v1_b${other.build}`}`
        // one a table for its key, and the one it asks for
        assert.lengthOf(indexes, 3)
        const [finish, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const reader = Effect.andThen(read, Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(finish)))
        const reading = yield* Effect.forkChild(sql.withTransaction(reader))
        yield* Deferred.await(begun)
        const dropping = yield* Effect.forkChild(drop(other))
        const waits = sql`SELECT 1 FROM pg_locks WHERE NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
        while ((yield* waits).length === 0) yield* Effect.yieldNow
        assert.lengthOf(yield* read, 2)
        yield* Deferred.succeed(finish, undefined)
        yield* Fiber.joinAll([reading, dropping])
        assert.lengthOf(yield* sql`SELECT 1 FROM pg_tables WHERE schemaname = ${`goes_v1_b${other.build}`}`, 0)
      })
    )

    it.effect("one that is kept is a copy of its own, until it is forgotten", () =>
      Effect.gen(function* () {
        const { keep, forget } = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const projection = letters("kept")
        for (const names of ["abc", "ab"]) {
          const { other } = yield* builds(projection, "abc", names)
          assert.deepStrictEqual(yield* keep(other, "kept_of_a_test"), [
            { table: "letters", name: "kept_of_a_test.kept_letters", rows: names.length },
            { table: "others", name: "kept_of_a_test.kept_others", rows: 0 }
          ])
          const rows = yield* sql<LetterRow>`SELECT id, text FROM kept_of_a_test.kept_letters ORDER BY id`
          assert.strictEqual(rows.map(({ text }) => text).join(""), names)
        }
        assert.isTrue(yield* forget("kept_of_a_test"))
        assert.isFalse(yield* forget("kept_of_a_test"))
        assert.deepStrictEqual(yield* sql`SELECT FROM pg_namespace WHERE nspname = 'kept_of_a_test'`, [])
      })
    )

    it.effect("the live one says where it stands, and what changed it last", () =>
      Effect.gen(function* () {
        const { apply, begin, live, checkpoints } = yield* ReadModels
        const [mine, theirs] = [letters("stands"), letters("stands_beside")]
        // an unfinished build is none that is read, wherever it stands
        const [one] = yield* apply([yield* live(mine)], published("ab"), positionOf(3))
        yield* apply([yield* begin(mine)], [], positionOf(8))
        yield* live(theirs)
        const at = Effect.fnUntraced(function* (name: string) {
          const found = yield* checkpoints([mine, theirs])
          assert.strictEqual(found.size, 2)
          return found.get(name)
        })
        assert.deepStrictEqual(yield* at("stands_v1"), { position: 3, changed: 2 })
        assert.deepStrictEqual(yield* at("stands_beside_v1"), { position: 0, changed: 0 })
        // what concerns none of its rows moves it, and changes nothing
        yield* apply([one!], [], positionOf(5))
        assert.deepStrictEqual(yield* at("stands_v1"), { position: 5, changed: 2 })
      })
    )
  }))
