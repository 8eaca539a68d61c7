import { assert, describe, layer } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { DomainEvent } from "#domain/events.ts"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { makeRetire } from "#engine/retire.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { table } from "#projections/table.ts"
import { recorded } from "#test/recorded.ts"
import { freshStore } from "../stores.ts"

interface VoteRow {
  readonly id: string
  readonly snippet: string
}

/** One row a vote, by the event's id: only the snippet's column tells which ones go with it. */
const Votes = {
  name: "votes_of_a_test",
  version: 1,
  tables: {
    votes: table<VoteRow>({
      columns: { id: "text", snippet: "text" },
      indexes: ["(snippet)"],
      on: {
        VoteCast: {
          rows: (_, { eventId }) => [eventId],
          to: (_, { snippet }, { eventId }) => ({ id: eventId, snippet })
        }
      },
      drops: { SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet } }
    })
  }
} satisfies Projection

const { VoteCast, SnippetDeleted } = SnippetEvent.cases
const vote = (snippet: string) =>
  VoteCast.make({
    snippet,
    value: 1,
    count: 1,
    source: "human",
    voter: null,
    request: null,
    subject: `snippet/${snippet}`,
    text: null
  })
const deleted = (snippet: string) =>
  SnippetDeleted.make({ snippet, subject: `snippet/${snippet}`, comments: [], executions: [], logs: [] })

describe("a table that drops rows by a column", () =>
  layer(PostgresReadModels.layer.pipe(Layer.provide(EmbeddingTable.layer), Layer.provideMerge(freshStore)), {
    excludeTestServices: true
  })((it) => {
    /** The rows after the events, cut into transactions in the given way. */
    const rowsAfter = (...batches: ReadonlyArray<ReadonlyArray<DomainEvent>>) =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        let build = yield* models.begin(Votes)
        let position = 0
        for (const batch of batches) {
          const events = batch.map((event) => recorded(++position, event))
          const [next] = yield* models.apply([build], events, positionOf(position))
          build = next!
        }
        const rows = yield* sql.unsafe<VoteRow>(
          `SELECT id, snippet FROM votes_of_a_test_v1_b${build.build}.votes ORDER BY id`
        )
        return rows.map(({ id, snippet }) => `${id}: ${snippet}`)
      })

    it.effect("has none left of what was there before, in one transaction or in several", () =>
      Effect.gen(function* () {
        const events = [vote("a"), vote("b"), vote("a"), deleted("a"), vote("b")]
        const kept = ["event 2: b", "event 5: b"]
        assert.deepStrictEqual(yield* rowsAfter(events), kept)
        assert.deepStrictEqual(yield* rowsAfter(...events.map((event) => [event])), kept)
        assert.deepStrictEqual(yield* rowsAfter(events.slice(0, 3), events.slice(3)), kept)
      })
    )

    it.effect("asks by plans that are kept, however few rows there are, and by an index", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const build = yield* models.begin(Votes)
        let position = 0
        const take = Effect.suspend(() => {
          const at = positionOf(position)
          const events = [vote("a"), deleted("b")].map((event) => recorded(++position, event))
          return models.apply([{ ...build, position: at }], events, positionOf(position))
        })
        // one connection all along: plans and counts are its own
        yield* Effect.gen(function* () {
          const schema = `votes_of_a_test_v1_b${build.build}`
          const scans = Effect.map(
            sql<{ scans: number }>`SELECT pg_stat_get_xact_numscans(${`${schema}.votes`}::regclass)::int AS scans`,
            ([row]) => row!.scans
          )
          yield* take
          // of one page, which to read as a whole is the least
          yield* sql.unsafe(`ANALYZE ${schema}.votes`)
          const before = yield* scans
          yield* Effect.repeat(take, { times: 8 })
          const plans = yield* sql<{ statement: string; custom: number }>`
            SELECT statement, custom_plans::int AS custom FROM pg_prepared_statements
            WHERE statement LIKE ${`%${schema}%`} AND generic_plans >= 9`
          assert.deepStrictEqual(plans.map(({ statement, custom }) => [statement.split(" ")[0], custom]).sort(), [
            ["DELETE", 0],
            ["INSERT", 0],
            ["SELECT", 0]
          ])
          assert.strictEqual(yield* scans, before)
          const { statement } = plans.find(({ statement }) => statement.startsWith("DELETE"))!
          yield* sql.unsafe(`PREPARE dropping AS ${statement}`)
          const plan = yield* sql.unsafe<{ "QUERY PLAN": string }>("EXPLAIN EXECUTE dropping('{b}', '{}')")
          // else each row that goes is compared with each id of the batch
          assert.include(plan.map((line) => line["QUERY PLAN"]).join("\n"), "hashed SubPlan")
        }).pipe(sql.withTransaction)
        assert.strictEqual(position, 20)
      })
    )

    it.effect("keeps what comes after", () =>
      Effect.gen(function* () {
        const events = [vote("a"), deleted("a"), vote("a"), deleted("b")]
        const kept = ["event 3: a"]
        assert.deepStrictEqual(yield* rowsAfter(events), kept)
        assert.deepStrictEqual(yield* rowsAfter(...events.map((event) => [event])), kept)
        assert.deepStrictEqual(yield* rowsAfter(events.slice(0, 1), events.slice(1)), kept)
      })
    )
  }))

describe("a row", () =>
  layer(PostgresReadModels.layer.pipe(Layer.provide(EmbeddingTable.layer), Layer.provideMerge(freshStore)), {
    excludeTestServices: true
  })((it) => {
    it.effect("keeps what Postgres has no sign for as a sign of its own, and all else as it is", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const build = yield* models.begin(Votes)
        const odd = ["nul \u0000", "half \ud800.", "written \\u0000 and \\\u0000", "é 😀 \u0001"]
        yield* models.apply(
          [build],
          odd.map((text, index) => recorded(index + 1, vote(text))),
          positionOf(odd.length)
        )
        const rows = yield* sql.unsafe<VoteRow>(
          `SELECT id, snippet FROM votes_of_a_test_v1_b${build.build}.votes ORDER BY id`
        )
        assert.deepStrictEqual(
          rows.map(({ snippet }) => snippet),
          ["nul \ufffd", "half \ufffd.", "written \\u0000 and \\\ufffd", "é 😀 \u0001"]
        )
      })
    )

    it.effect("that takes long to change lets others have their turn before the next one", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        let turns = 0
        const seen: Array<number> = []
        const slow: Projection = {
          name: "slow_of_a_test",
          version: 1,
          tables: {
            rows: table<{ readonly id: string }>({
              columns: { id: "text" },
              on: {
                VoteCast: {
                  rows: ({ snippet }) => [snippet],
                  to: (_, { snippet }) => {
                    seen.push(turns)
                    // the whole of a turn's time, whatever the machine is like
                    for (const began = performance.now(); performance.now() - began < 11; );
                    return { id: snippet }
                  }
                }
              }
            })
          }
        }
        const others = Effect.gen(function* () {
          for (;;) {
            turns += 1
            yield* Effect.yieldNow
          }
        })
        yield* Effect.forkScoped(others)
        const build = yield* models.begin(slow)
        yield* models.apply(
          [build],
          [1, 2, 3].map((n) => recorded(n, vote("s"))),
          positionOf(3)
        )
        assert.lengthOf(seen, 3)
        assert.isBelow(seen[0]!, seen[1]!)
        assert.isBelow(seen[1]!, seen[2]!)
      }).pipe(Effect.scoped)
    )
  }))

/** Of a store that is only asked for its head. */
const storeAt = (head: number) => ({ head: Effect.succeed(head) }) as unknown as EventStore["Service"]

const version = (number: number) => ({ ...Votes, name: "versions", version: number })

describe("read models of other versions", () =>
  layer(PostgresReadModels.layer.pipe(Layer.provide(EmbeddingTable.layer), Layer.provideMerge(freshStore)), {
    excludeTestServices: true
  })((it) => {
    const schemas = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ nspname: string }>`SELECT nspname FROM pg_namespace
        WHERE starts_with(nspname, 'versions_v') ORDER BY nspname`
      return rows.map(({ nspname }) => nspname)
    })
    /** On another connection than that of the transaction around it. */
    const other = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.updateContext(
          effect,
          (context: Context.Context<R>) => Context.omit(sql.transactionService)(context) as Context.Context<R>
        )
      )
    const at = (number: number) => [`versions_v${number}`, `versions_v${number}_b1`]

    it.effect("are removed with their rows once nobody moves them on, and never before", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const look = yield* makeRetire([version(2)]).pipe(Effect.provideService(EventStore, storeAt(9)))
        const [one, two, ten] = yield* Effect.forEach([1, 2, 10], (number) => models.live(version(number)))
        const [moved] = yield* models.apply([one!], [recorded(1, vote("a"))], positionOf(5))
        yield* models.apply([two!], [], positionOf(9))
        yield* look
        assert.deepStrictEqual(yield* schemas, [...at(1), ...at(10), ...at(2)].sort())
        // one of them is at work: in another process, which has other code
        yield* models.apply([moved!], [], positionOf(7))
        yield* look
        assert.deepStrictEqual(yield* schemas, [...at(1), ...at(2)])
        assert.deepStrictEqual(
          (yield* models.others([version(2)])).map(({ version }) => version),
          [1]
        )
        yield* look
        assert.deepStrictEqual(yield* schemas, at(2))
        // it is begun anew when it is wanted again
        assert.strictEqual((yield* models.live(version(1))).position, 0)
        assert.isFalse(yield* models.retire({ name: "versions", version: 1, position: positionOf(7) }))
        assert.strictEqual(ten!.position, 0)
      })
    )

    it.effect("stay whole while somebody still reads them, and go then", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const [build] = yield* models.apply([yield* models.live(version(4))], [], positionOf(5))
        const old = { name: "versions", version: 4, position: positionOf(5) }
        const reading = Effect.andThen(
          sql.unsafe("SELECT * FROM versions_v4.votes"),
          Effect.flip(other(models.retire(old)))
        )
        const refused = yield* sql.withTransaction(reading)
        assert.strictEqual(refused._tag, "ReadModelsUnavailable")
        assert.strictEqual((yield* models.live(version(4))).position, build!.position)
        assert.isTrue(yield* models.retire(old))
        assert.notInclude(yield* schemas, at(4)[0])
      })
    )

    it.effect("go with builds that somebody left unfinished: not those that move, or are read", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const minutes = 60_000
        const clock = yield* Clock.Clock
        const look = yield* makeRetire([5, 6, 7].map(version)).pipe(Effect.provideService(EventStore, storeAt(9)))
        const lookAt = (at: number) => {
          const later = { currentTimeMillis: Effect.succeed(at) }
          return Effect.provideService(look, Clock.Clock, Object.assign(Object.create(clock) as typeof clock, later))
        }
        const events = [recorded(1, vote("erased later"))]
        const begun = yield* Effect.forEach([5, 6, 7], (number) => models.begin(version(number)))
        const [left, moving, read] = yield* Effect.forEach(begun, (build) =>
          Effect.map(models.apply([build], events, positionOf(1)), ([moved]) => moved!)
        )
        const there = Effect.map(schemas, (all) => [5, 6, 7].filter((number) => all.includes(`versions_v${number}_b1`)))
        // each 10 s, as a service looks
        const lookUpTo = Effect.fnUntraced(function* (from: number, to: number) {
          for (let at = from; at <= to; at += 10_000) yield* lookAt(at)
        })
        yield* lookUpTo(0, 4 * minutes)
        yield* models.apply([moving!], [], positionOf(2))
        // a machine that slept has kept those who make them from it, too
        const slept = 60 * minutes
        yield* lookAt(slept + 4 * minutes)
        assert.deepStrictEqual(yield* there, [5, 6, 7])
        // as a comparison reads
        yield* sql.withTransaction(
          Effect.andThen(
            sql.unsafe("SELECT * FROM versions_v7_b1.votes"),
            other(lookUpTo(slept + 4 * minutes + 10_000, slept + 5 * minutes))
          )
        )
        assert.deepStrictEqual(yield* there, [6, 7])
        assert.strictEqual((yield* Effect.flip(models.apply([left!], [], positionOf(2))))._tag, "BuildMoved")
        yield* lookAt(slept + 5 * minutes + 10_000)
        assert.deepStrictEqual(yield* there, [6])
        assert.strictEqual((yield* Effect.flip(models.apply([read!], [], positionOf(2))))._tag, "BuildMoved")
        yield* models.drop(moving!)
      })
    )

    it.effect("are begun while a replay holds one that others would move, and nobody waits for ever", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const sql = yield* SqlClient.SqlClient
        const old = version(8)
        const live = yield* models.live(old)
        const mine = yield* models.begin(old)
        const waiting = (number: number) =>
          other(sql<{ waits: number }>`SELECT count(*)::int AS waits FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`).pipe(
            Effect.flatMap(([row]) => (row!.waits >= number ? Effect.void : Effect.fail("not yet"))),
            Effect.retry(Schedule.spaced("10 millis"))
          )
        yield* models.promote(old, () =>
          Effect.gen(function* () {
            // the projector waits for the row that the replay holds
            const moving = yield* Effect.forkScoped(Effect.exit(other(models.apply([live], [], positionOf(3)))))
            yield* waiting(1)
            const begun = yield* Effect.forkScoped(other(models.live(version(9))))
            // it has begun, or waits behind the projector
            yield* Effect.raceFirst(Fiber.await(begun), waiting(2))
            const [brought] = yield* other(models.apply([mine], [], live.position)).pipe(Effect.timeout("30 seconds"))
            yield* Fiber.join(begun)
            yield* Effect.forkScoped(Fiber.await(moving))
            return brought!
          })
        )
        assert.strictEqual((yield* models.live(old)).build, mine.build)
      }).pipe(Effect.scoped)
    )

    it.effect("stay as long as they have missed nothing", () =>
      Effect.gen(function* () {
        const models = yield* ReadModels
        const [build] = yield* models.apply([yield* models.live(version(3))], [], positionOf(9))
        const look = yield* makeRetire([]).pipe(Effect.provideService(EventStore, storeAt(9)))
        yield* look
        yield* look
        assert.strictEqual((yield* models.live(version(3))).position, build!.position)
      })
    )
  }))
