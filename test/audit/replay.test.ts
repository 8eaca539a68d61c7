import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Snippet } from "#domain/Snippet/decider.ts"
import { Dispatcher, dispatch } from "#engine/dispatch.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { EventStore, sizeOf } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { bring } from "#engine/project.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { replay } from "#src/audit/replay.ts"
import { castVote, given, uploadOf } from "#test/commands.ts"
import { upTo } from "#test/engine/appends.ts"
import { freshStore } from "#test/infra/stores.ts"

const most = { count: 5_000, bytes: 200_000 }
const uploads = 40
/** Characters of each one's source: a page has room for hardly one, or for some. */
const sourceOf = (n: number) => (n % 4 === 0 ? 60_000 : 250_000)

/** Bytes of the events that were read and are not taken in yet, by position; and the most that they were at once. */
const held = new Map<number, number>()
const seen = { most: 0, read: 0, statement: 0 }

const store = Layer.effect(
  EventStore,
  Effect.map(EventStore, (store) => ({
    ...store,
    readAll: (...args: Parameters<typeof store.readAll>) =>
      Effect.tap(store.readAll(...args), ({ events }) =>
        Effect.sync(() => {
          for (const event of events) {
            held.set(event.position, sizeOf(event))
            seen.read += sizeOf(event)
          }
          seen.most = Math.max(
            seen.most,
            [...held.values()].reduce((sum, bytes) => sum + bytes, 0)
          )
        })
      )
  }))
)

const length = (values: ReadonlyArray<unknown>) =>
  values.reduce<number>((sum, one) => sum + (typeof one === "string" ? one.length : 0), 0)

/** The client, with the longest text that a statement took or gave noted. */
const client = Layer.effect(
  PgClient.PgClient,
  Effect.map(PgClient.PgClient, (sql) => {
    const unsafe = ((statement: string, parameters: ReadonlyArray<unknown> = []) =>
      Effect.tap(sql.unsafe<object>(statement, parameters), (rows) =>
        Effect.sync(() => {
          const given = rows.reduce((sum, row) => sum + length(Object.values(row)), 0)
          seen.statement = Math.max(seen.statement, length(parameters), given)
        })
      )) as typeof sql.unsafe
    return new Proxy(sql, { get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)) })
  })
)

const models = Layer.effect(
  ReadModels,
  Effect.map(ReadModels, (models) => ({
    ...models,
    apply: (...args: Parameters<typeof models.apply>) =>
      Effect.tap(models.apply(...args), () =>
        Effect.sync(() => {
          for (const position of held.keys()) if (position <= args[2]) held.delete(position)
        })
      )
  }))
).pipe(Layer.provide(PostgresReadModels.layer), Layer.provide(EmbeddingTable.layer), Layer.provide(client))

const world = Dispatcher.layer.pipe(
  Layer.provideMerge(models),
  Layer.provideMerge(store),
  Layer.provideMerge(freshStore),
  Layer.provide(Layer.succeed(Bounds, most))
)

layer(world, { excludeTestServices: true })("a log of big uploads", (it) => {
  it.effect("is taken in, and taken in anew, with hardly more than two pages of it held at once", () =>
    Effect.gen(function* () {
      for (const n of upTo(uploads)) {
        const upload = uploadOf(`big ${n}`)
        const command = { ...upload, text: { ...upload.text, source: `${n}`.padEnd(sourceOf(n), " word") } }
        yield* dispatch(Snippet, given(`snippet-big ${n}`, command))
        yield* castVote(`big ${n}`)
      }
      const { head } = yield* EventStore
      const live = yield* bring(yield* (yield* ReadModels).live(Snippets), yield* head)
      const { events, differences } = yield* replay(Snippets, { promote: false, progress: () => undefined })
      assert.deepStrictEqual([live.position, events, differences], [2 * uploads, 2 * uploads, []])
      const all = upTo(uploads).reduce((sum, n) => sum + sourceOf(n), 0)
      assert.isAtLeast(seen.read, 2 * all)
      // one page is taken in while the next is read; the last event of each may go beyond the bound
      const page = most.bytes + 255_000
      assert.isAtMost(seen.most, 2 * page)
      // a row has little more than its source, and goes with those that did not fill a statement before it
      assert.isAtMost(seen.statement, page + 60_000)
      assert.isAtLeast(seen.statement, 250_000)
    })
  )
})
