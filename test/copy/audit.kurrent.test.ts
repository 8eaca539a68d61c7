import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Context, Effect, Layer, Logger } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { UsageEvent } from "#domain/Usage.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Codec from "#src/codec.ts"
import { to as append, command, fresh } from "#test/engine/appends.ts"
import { stored } from "#test/http/store.ts"
import { ProtocolDouble } from "#test/kurrent/ProtocolDouble.ts"
import { storeAt } from "#test/kurrent/stores.ts"
import { freshDatabase } from "#test/postgres.ts"
import { type Service, startService } from "#test/service.ts"
import { from, rowsOf, run, to } from "./command.ts"

describe("a log in KurrentDB that processes with other clocks have written", () => {
  const double = new ProtocolDouble()
  let service: Service
  beforeAll(async () => {
    await double.start()
    service = await startService({ KURRENTDB_URL: double.url })
  })
  afterAll(async () => {
    await service.close()
    double.stop()
  })

  it("is as it was written in Postgres, and read models as of a time are those of that time", async () => {
    const { database, dataDir } = service
    await stored(service.call, "alpha")
    await service.stop()
    const now = Date.now()
    const event = Codec.encode(UsageEvent.cases.KeyUsed.make({ key: "key" }))
    // processes one after the other, whose clocks are 3 s apart
    const writing = Effect.forEach([5_000, 2_000, 5_000, 2_000], (ahead) =>
      Effect.gen(function* () {
        const built = yield* Layer.build(Layer.fresh(storeAt(double.url)))
        const clock = yield* Clock.Clock
        const other = Object.assign(Object.create(clock) as typeof clock, {
          currentTimeMillis: Effect.succeed(now + ahead)
        })
        const used = append(fresh("usage"), "any", [command({ events: [event] })])
        yield* Effect.provideService(Context.get(built, EventStore).append(used), Clock.Clock, other)
      }).pipe(Effect.scoped)
    )
    await Effect.runPromise(
      writing.pipe(Effect.scoped, Effect.provide([PgClient.layer({ url: database }), Logger.layer([])]))
    )
    const target = await Effect.runPromise(freshDatabase)
    const copied = await run({ ...from(database), KURRENTDB_URL: double.url, ...to(target) }, "copy", "--json")
    assert.strictEqual(copied.code, 0, copied.err)
    assert.deepInclude(JSON.parse(copied.out), { success: true, finished: true, found: 0, findings: [] })
    assert.strictEqual((await run(from(target, dataDir), "installation", "adopt")).code, 0)
    const times = await rowsOf<{ position: bigint; recorded_at: Date }>(
      target,
      "SELECT position, recorded_at FROM events ORDER BY position"
    )
    const goesBack = times.findIndex(({ recorded_at }, at) => at > 0 && recorded_at < times[at - 1]!.recorded_at)
    assert.isAbove(goesBack, 0)
    const verified = await run(from(target, dataDir), "verify", "--json")
    assert.deepInclude(JSON.parse(verified.out), { success: true, found: 0 })
    // later than the last event, and not later than one before it
    const asked = new Date(now + 3_000).toISOString()
    const made = await run(from(target, dataDir), "replay", "--as-of", asked, "--json")
    assert.strictEqual(made.code, 0, made.err)
    const first = times.findIndex(({ recorded_at }) => recorded_at.getTime() > now + 3_000)
    assert.match(JSON.parse(made.out).position, new RegExp(`^[a-z]{4}-${times[first - 1]!.position}$`))
  })
})
