import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { bring } from "#engine/project.ts"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import * as Codec from "#src/codec.ts"
import { nothingMore } from "#test/snippetText.ts"
import { benchDatabase } from "./database.ts"
import { nobodys } from "./nobodys.ts"
import { type Measured, thousands } from "./report.ts"

const snippets = 500

/** A log of votes on a few hundred snippets, written with SQL: only its reading is measured. */
const fill = Effect.fnUntraced(function* (events: number) {
  const sql = yield* PgClient.PgClient
  const store = yield* EventStore
  const ids = Array.from({ length: snippets }, () => randomUUID())
  for (const snippet of ids) {
    const text = {
      ...nothingMore,
      name: "f",
      path: "f.py",
      source: "def f(): pass",
      entrypoint: "f",
      task: "a task"
    }
    const uploaded = SnippetEvent.cases.SnippetUploaded.make({
      snippet,
      home: "t",
      generation: 0,
      sourceDigest: "d",
      origin: "import",
      author: null,
      language: "python",
      completeness: 1,
      succeeded: true,
      published: false,
      subject: `snippet/${snippet}`,
      text
    })
    yield* store.append({
      tenant: "t",
      stream: `snippet-${snippet}`,
      expected: "none",
      commands: [nobodys(randomUUID(), [Codec.encode(uploaded)])]
    })
  }
  const facts = { value: 1, count: 1, source: "human", voter: null, request: null, subject: "s", text: null }
  yield* sql.unsafe(
    `INSERT INTO events SELECT ${snippets} + n, 't', 'snippet-' || s, n, gen_random_uuid(), 'VoteCast', 1,
      left($2::text, -1) || ',"snippet":"' || s || '"}', false, null, null, null, gen_random_uuid(), gen_random_uuid(), null, now()
     FROM (SELECT n, ($1::text[])[1 + n % ${snippets}] AS s FROM generate_series(1, $3::int) n) x`,
    [ids, JSON.stringify(facts), events]
  )
  yield* sql.unsafe("ANALYZE events")
})

/** Reading the log and decoding every event; then folding it all into the catalogue's tables. */
export const replay = (scale: number) =>
  Effect.gen(function* () {
    const { url } = yield* benchDatabase
    const services = yield* Layer.build(
      Layer.mergeAll(Codec.layer, PostgresEventStore.layer, PostgresReadModels.layer).pipe(
        Layer.provideMerge(EmbeddingTable.layer),
        Layer.provideMerge(Postgres.layer(url))
      )
    )
    const events = Math.max(5_000, 400_000 * scale)
    return yield* Effect.gen(function* () {
      yield* fill(events)
      const store = yield* EventStore
      const started = performance.now()
      let position = beginning
      let decoded = 0
      for (;;) {
        const { events: stored } = yield* store.readAll(position, { limit: 5_000 })
        if (stored.length === 0) break
        for (const event of stored) Codec.decode(event)
        decoded += stored.length
        position = stored.at(-1)!.position
      }
      const perSecond = decoded / ((performance.now() - started) / 1000)

      const models = yield* ReadModels
      const build = yield* models.begin(Snippets)
      const folding = performance.now()
      yield* bring(build, yield* store.head)
      const folded = decoded / ((performance.now() - folding) / 1000)
      const rows: Array<Measured> = [
        {
          name: `replay, decoded (${thousands(decoded)} events)`,
          value: `${thousands(perSecond)}/s`,
          bar: "≥ 250,000/s",
          met: perSecond >= 250_000
        },
        {
          name: "replay, into a read model",
          value: `${thousands(folded)}/s`,
          bar: "≥ 150,000/s",
          met: folded >= 150_000
        }
      ]
      return rows
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)
