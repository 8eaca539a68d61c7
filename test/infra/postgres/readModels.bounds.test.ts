import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { type Bound, Bounds } from "#engine/ports/Bounds.ts"
import { type Build, ReadModels } from "#engine/ports/ReadModels.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { table } from "#projections/table.ts"
import { recorded } from "#test/recorded.ts"
import { upTo } from "../../engine/appends.ts"
import { freshStore } from "../stores.ts"

interface TallyRow {
  readonly id: string
  readonly votes: number
  readonly text: string
  readonly more: { readonly text: string }
}

const letters = (bytes: number, of: string) => of.repeat(bytes)

/** Big rows, each made by an event of its own, that other events count in, several rows an event. */
const Tally = {
  name: "tally_of_a_test",
  version: 1,
  tables: {
    tally: table<TallyRow>({
      columns: { id: "text", votes: "integer", text: "text", more: "json" },
      on: {
        SnippetPublished: {
          rows: ({ snippet }) => [snippet],
          to: (_, { snippet }) => ({
            id: snippet,
            votes: 0,
            text: letters(6_000, snippet),
            more: { text: letters(3_000, snippet) }
          })
        },
        VoteCast: {
          rows: ({ snippet }) => snippet.split(""),
          to: (row, { count }) => row && { ...row, votes: row.votes + count }
        },
        SnippetDeleted: { rows: ({ snippet }) => [snippet], to: () => undefined }
      }
    })
  }
} satisfies Projection

const { VoteCast, SnippetDeleted, SnippetPublished } = SnippetEvent.cases
const vote = (snippet: string) =>
  VoteCast.make({
    snippet,
    value: 1,
    count: 1,
    source: "human",
    voter: null,
    request: null,
    subject: "s",
    text: null
  })

/** Characters of text that each statement took and gave. */
const moved: Array<number> = []

const lengthOf = (value: unknown) => (typeof value === "string" || value instanceof Uint8Array ? value.length : 0)

/** The client, with what its statements move noted. */
const noting = Layer.effect(
  PgClient.PgClient,
  Effect.map(PgClient.PgClient, (sql) => {
    const unsafe = ((statement: string, parameters: ReadonlyArray<unknown> = []) =>
      Effect.tap(sql.unsafe<{ row?: unknown }>(statement, parameters), (rows) =>
        Effect.sync(() => {
          moved.push(parameters.reduce<number>((sum, one) => sum + lengthOf(one), 0))
          moved.push(rows.reduce((sum, { row }) => sum + lengthOf(row), 0))
        })
      )) as typeof sql.unsafe
    return new Proxy(sql, { get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)) })
  })
)

const most = { count: 8, bytes: 20_000 }
const modelsWithin = (most: Bound) =>
  PostgresReadModels.layer.pipe(
    Layer.provide(EmbeddingTable.layer),
    Layer.provide(Layer.succeed(Bounds, most)),
    Layer.provide(noting),
    Layer.provideMerge(freshStore)
  )

const names = "abcdefghijklm"

describe("read models in Postgres", () =>
  layer(modelsWithin(most), { excludeTestServices: true })((it) => {
    const rowsOf = Effect.fnUntraced(function* ({ build }: Build) {
      const sql = yield* PgClient.PgClient
      return yield* sql.unsafe<TallyRow>(
        `SELECT id, votes, text, more FROM tally_of_a_test_v1_b${build}.tally ORDER BY id`
      )
    })

    it.effect("read and write no more rows at once than the bound has bytes, and the same in the end", () =>
      Effect.gen(function* () {
        const store = yield* ReadModels
        const events = [
          ...names.split("").map((snippet) => SnippetPublished.make({ snippet })),
          vote(names),
          ...names.split("").map((snippet) => vote(`${snippet}?`)),
          SnippetDeleted.make({ snippet: "d", subject: "s", comments: [], executions: [], logs: [] }),
          vote("abcd")
        ].map((event, index) => recorded(index + 1, event))
        const [first, rest] = [events.slice(0, names.length), events.slice(names.length)]
        for (const batches of [[events], [first, rest]]) {
          let build = yield* store.begin(Tally)
          moved.length = 0
          for (const batch of batches) build = (yield* store.apply([build], batch, batch.at(-1)!.position))[0]!
          // one row more than what reaches the bound
          assert.isAtMost(Math.max(...moved), most.bytes + 9_200)
          const rows = yield* rowsOf(build)
          assert.strictEqual(rows.map(({ id }) => id).join(""), names.replace("d", ""))
          for (const { id, votes, text, more } of rows) {
            assert.strictEqual(votes, "abc".includes(id) ? 3 : 2)
            assert.strictEqual(text, letters(6_000, id))
            assert.deepStrictEqual(more, { text: letters(3_000, id) })
          }
        }
      })
    )

    it.effect("write a long row by pieces, as it is, and others behind it", () =>
      Effect.gen(function* () {
        const store = yield* ReadModels
        const sql = yield* PgClient.PgClient
        const text = 'line é 😀 \\ " \n'.repeat(150_000)
        const Long = {
          name: "long_of_a_test",
          version: 1,
          tables: {
            long: table<{ readonly id: string; readonly text: string }>({
              columns: { id: "text", text: "text" },
              on: {
                SnippetPublished: {
                  rows: ({ snippet }) => [snippet],
                  to: (_, { snippet }) => ({ id: snippet, text: snippet === "b" ? "short" : `${snippet}${text}` })
                }
              }
            })
          }
        } satisfies Projection
        const events = ["a", "b", "c"].map((snippet, n) => recorded(n + 1, SnippetPublished.make({ snippet })))
        moved.length = 0
        const [build] = yield* store.apply([yield* store.begin(Long)], events, positionOf(3))
        // with the piece of JSON that fills it, some of whose characters take more than a byte
        assert.isAtMost(Math.max(...moved), 768 * 1024)
        const rows = yield* sql.unsafe(`SELECT id, text FROM long_of_a_test_v1_b${build!.build}.long ORDER BY id`)
        assert.deepStrictEqual(rows, [
          { id: "a", text: `a${text}` },
          { id: "b", text: "short" },
          { id: "c", text: `c${text}` }
        ])
      })
    )

    it.effect("take each event in once, though two projectors race", () =>
      Effect.gen(function* () {
        const store = yield* ReadModels
        let lost = 0
        const events = [
          recorded(1, SnippetPublished.make({ snippet: "v" })),
          ...upTo(120).map((n) => recorded(n + 2, vote("v")))
        ]
        const projector = Effect.gen(function* () {
          for (;;) {
            const build = yield* store.live(Tally)
            const batch = events.filter(({ position }) => position > build.position).slice(0, 7)
            if (batch.length === 0) return build
            yield* store
              .apply([build], batch, batch.at(-1)!.position)
              .pipe(Effect.catchTag("BuildMoved", () => Effect.sync(() => void (lost += 1))))
          }
        })
        const [build] = yield* Effect.all([projector, projector, projector], { concurrency: "unbounded" })
        assert.strictEqual((yield* rowsOf(build))[0]!.votes, 120)
        assert.isAbove(lost, 0)
        assert.strictEqual(build.position, 121)
      })
    )
  }))

describe("read models in Postgres with room for many rows at once", () =>
  layer(modelsWithin({ count: 100, bytes: 4_000_000 }), { excludeTestServices: true })((it) => {
    it.effect("write rows that are long only together by pieces, each as it is", () =>
      Effect.gen(function* () {
        const store = yield* ReadModels
        const sql = yield* PgClient.PgClient
        const Many = {
          name: "many_of_a_test",
          version: 1,
          tables: {
            many: table<{ readonly id: string; readonly text: string }>({
              columns: { id: "text", text: "text" },
              on: {
                SnippetPublished: {
                  rows: ({ snippet }) => [snippet],
                  to: (_, { snippet }) => ({ id: snippet, text: letters(100_000, snippet) })
                }
              }
            })
          }
        } satisfies Projection
        const events = names.split("").map((snippet, n) => recorded(n + 1, SnippetPublished.make({ snippet })))
        moved.length = 0
        const [build] = yield* store.apply([yield* store.begin(Many)], events, positionOf(events.length))
        assert.isAtMost(Math.max(...moved), 768 * 1024)
        const rows = yield* sql.unsafe(`SELECT id, text FROM many_of_a_test_v1_b${build!.build}.many ORDER BY id`)
        assert.deepStrictEqual(
          rows,
          names.split("").map((id) => ({ id, text: letters(100_000, id) }))
        )
      })
    )
  }))
