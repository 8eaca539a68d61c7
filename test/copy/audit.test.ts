import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { UsageEvent } from "#domain/Usage.ts"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Intake from "#infra/postgres/copy/intake.ts"
import { begin } from "#infra/postgres/copy/target.ts"
import * as PostgresAudit from "#infra/postgres/log/audit.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import { LogAudit } from "#ports/LogAudit.ts"
import type { CopiedEvent, LogEngine } from "#ports/LogCopy.ts"
import { LogIntake } from "#ports/LogCopy.ts"
import { Findings } from "#src/audit/findings.ts"
import { verifyLog } from "#src/audit/verify.ts"
import * as Codec from "#src/codec.ts"
import { command, fresh, to, upTo } from "#test/engine/appends.ts"
import { freshClient } from "#test/infra/stores.ts"
import { numbers, randomLog } from "./randomLog.ts"

/** The same log as two processes have written it, whose clocks are up to 10 ms apart. */
const ofTwoClocks = (seed: string): ReadonlyArray<CopiedEvent> => {
  const next = numbers(`clocks of ${seed}`)
  return randomLog(seed, 60).map((event) => ({ ...event, recordedAt: event.recordedAt - Math.floor(next() * 10) }))
}

/** What is asked of the database of a copy, whose log has gone on since. */
const copied = (log: ReadonlyArray<CopiedEvent>, source: LogEngine, positions: string | null) =>
  Effect.gen(function* () {
    const client = yield* Layer.build(freshClient)
    yield* Effect.provide(begin({ secret: "secret", positions }, "postgres"), client)
    const given = Layer.succeedContext(client)
    const built = yield* Layer.build(
      Layer.mergeAll(Intake.layer(source), PostgresAudit.layer, PostgresEventStore.layer).pipe(
        Layer.provideMerge(given)
      )
    )
    yield* Context.get(built, LogIntake).take(log)
    const event = Codec.encode(UsageEvent.cases.KeyUsed.make({ key: "key" }))
    for (const _ of upTo(9)) {
      yield* Context.get(built, EventStore).append(to(fresh(), "any", [command({ events: [event] })]))
      yield* Effect.sleep("1 milli")
    }
    return built
  })

/** All positions and times, in their order. */
const times = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ position: bigint; recorded_at: Date }>`SELECT position, recorded_at FROM events
    ORDER BY position`
  return rows.map(({ position, recorded_at }) => ({ position: Number(position), time: recorded_at.getTime() }))
})

/** Only what is found of times: the random log's events are none of Cairn's. */
class OfTimes extends Findings {
  override readonly add: Findings["add"] = (position, check, message) => {
    if (check === "time") this.first.push({ position, check, message })
  }
}

const misdated = Effect.gen(function* () {
  const findings = new OfTimes()
  yield* verifyLog(yield* (yield* EventStore).head, findings, () => undefined)
  return findings.first
})

describe("an audit of a log in Postgres that was copied from KurrentDB", () => {
  it.live("finds no fault with times that go back where several processes wrote, and does behind that", () =>
    Effect.gen(function* () {
      const log = ofTwoClocks("verified")
      const built = yield* copied(log, "kurrentdb", "abcd")
      yield* Effect.gen(function* () {
        const all = yield* times
        assert.isTrue(all.some(({ time }, at) => at > 0 && time < all[at - 1]!.time))
        assert.deepStrictEqual(yield* misdated, [])
        const sql = yield* PgClient.PgClient
        const { position } = all.at(-3)!
        yield* sql`UPDATE events SET recorded_at = recorded_at - interval '1 hour' WHERE position = ${position}`
        assert.deepStrictEqual(
          (yield* misdated).map((one) => Number(one.position)),
          [position]
        )
      }).pipe(Effect.provideContext(built))
    }).pipe(Effect.scoped)
  )

  it.live("finds where it was at any time: before the first event that came later", () =>
    Effect.gen(function* () {
      for (const seed of ["one", "two", "three"]) {
        const built = yield* copied(ofTwoClocks(seed), "kurrentdb", "abcd")
        yield* Effect.gen(function* () {
          const { at } = yield* LogAudit
          const all = yield* times
          for (const { time } of all) {
            for (const asked of [time - 1, time]) {
              const later = all.findIndex((one) => one.time > asked)
              const expected = all.at(later === -1 ? -1 : later - 1)!.position
              assert.strictEqual(yield* at(asked), later === 0 ? beginning : expected)
            }
          }
        }).pipe(Effect.provideContext(built))
      }
    }).pipe(Effect.scoped)
  )

  it.live("has nothing to pass over where the log was never there", () =>
    Effect.gen(function* () {
      const log = ofTwoClocks("damaged")
      const built = yield* copied(log, "postgres", null)
      assert.isNotEmpty(yield* Effect.provideContext(misdated, built))
    }).pipe(Effect.scoped)
  )

  it.live("takes none of it to be of one clock when the last event that was copied is gone", () =>
    Effect.gen(function* () {
      const built = yield* copied(ofTwoClocks("gone"), "kurrentdb", "abcd")
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`DELETE FROM events e USING log_copy c WHERE e.event_id = c.event_id`
        assert.deepStrictEqual(yield* misdated, [])
      }).pipe(Effect.provideContext(built))
    }).pipe(Effect.scoped)
  )
})
