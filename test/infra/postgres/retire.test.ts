import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { Asker } from "#engine/ask.ts"
import { Codec } from "#engine/codec.ts"
import { makeProcesses } from "#engine/memory/Claims.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { type Claiming, Claims } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { claimOf, Projector } from "#engine/project.ts"
import { makeRetire } from "#engine/retire.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { table } from "#projections/table.ts"
import { command, to } from "#test/engine/appends.ts"
import { freshStore } from "../stores.ts"

/** A read model of an older build, and what a newer one has made of it. */
const version = (number: number) =>
  ({
    name: "raised",
    version: number,
    tables: {
      votes: table<{ readonly id: string }>({
        columns: { id: "text" },
        on: { VoteCast: { rows: (_, { eventId }) => [eventId], to: (_, __, { eventId }) => ({ id: eventId }) } }
      })
    }
  }) satisfies Projection
const [old, raised] = [version(1), version(2)]

const vote = SnippetEvent.cases.VoteCast.make({
  snippet: "a",
  value: 1,
  count: 1,
  source: "human",
  voter: null,
  request: null,
  subject: "snippet/a",
  text: null
})

/** Appends votes. */
const votes = Effect.fnUntraced(function* (count: number) {
  const store = yield* EventStore
  const codec = yield* Codec
  for (let n = 0; n < count; n++)
    yield* store.append(to("snippet-a", "any", [command({ events: [codec.encode(vote)] })]))
})

/** A process that folds a read model, until it is ended. */
const process = Effect.fnUntraced(function* (claims: Claiming, projection: Projection) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const folding = Layer.provideMerge(Asker.layer([projection]), Projector.layer([projection])).pipe(
    Layer.provide(Layer.succeed(Claims, claims))
  )
  const context = yield* Scope.provide(Layer.build(Layer.fresh(folding)), scope)
  const counted = Effect.gen(function* () {
    yield* (yield* Asker).fresh(projection, 60_000)
    const sql = yield* SqlClient.SqlClient
    return (yield* sql.unsafe(`SELECT 1 FROM ${schemaOf(projection)}.votes`)).length
  }).pipe(Effect.provideContext(context))
  return { counted, end: Scope.close(scope, Exit.void) }
})

layer(PostgresReadModels.layer.pipe(Layer.provide(EmbeddingTable.layer), Layer.provideMerge(freshStore)), {
  excludeTestServices: true
})("two builds' versions of a read model", (it) => {
  it.effect("one that stands still keeps what it has claimed; what it has lost it folds anew when it wakes up", () =>
    Effect.gen(function* () {
      const models = yield* ReadModels
      const next = makeProcesses()
      const [older, newer] = [next(), next()]
      yield* votes(3)
      const first = yield* process(older, old)
      assert.strictEqual(yield* first.counted, 3)
      yield* first.end
      // from here on it is stopped in its tracks, with all that it has claimed
      yield* older.claim(claimOf(old))
      yield* votes(2)
      const beside = yield* process(newer, raised)
      assert.strictEqual(yield* beside.counted, 5)

      const look = yield* Effect.provideService(makeRetire([raised]), Claims, newer)
      const others = Effect.map(models.others([raised]), (all) => all.map(({ version }) => version))
      for (let times = 0; times < 3; times++) yield* look
      assert.deepStrictEqual(yield* others, [1])

      // it was away for so long that it has lost its claims
      yield* older.lose
      yield* look
      assert.deepStrictEqual(yield* others, [])

      const awake = yield* process(older, old)
      yield* votes(1)
      assert.deepStrictEqual([yield* awake.counted, yield* beside.counted], [6, 6])
    })
  )

  it.effect("a process from under which its read model was removed goes on with it from the log's beginning", () =>
    Effect.gen(function* () {
      const models = yield* ReadModels
      const next = makeProcesses()
      const one = yield* process(next(), version(3))
      const before = yield* one.counted
      const [build] = yield* models.others([old, raised])
      assert.isTrue(yield* models.retire(build!))
      yield* votes(1)
      assert.strictEqual(yield* one.counted, before + 1)
    })
  )
})
