import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createSecureServer } from "node:http2"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ownLog } from "#infra/kurrent/ownLog.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import { startProcess } from "#test/service/process.ts"
import { newInstallation, removeInstallation } from "#test/service.ts"
import { command, fresh, to, upTo } from "../../engine/appends.ts"
import { ProtocolDouble } from "../../kurrent/ProtocolDouble.ts"
import { Double, doubleAndDatabase, startedDouble, storeAt } from "../../kurrent/stores.ts"
import { notReady } from "../../kurrent/wire.ts"
import { freshClient } from "../stores.ts"

const quiet = Logger.layer([])

/** Why a store can't be made: one line. */
const refusal = (url: string) =>
  Layer.build(Layer.fresh(storeAt(url))).pipe(
    Effect.flip,
    Effect.map((error) => {
      const { message, passes } = error as { readonly message: string; readonly passes?: boolean }
      return [error._tag, message, passes] as const
    }),
    Effect.tap(([, message]) => Effect.sync(() => assert.notInclude(message, "\n"))),
    Effect.scoped
  )

const started = (url: string) => Effect.scoped(Layer.build(Layer.fresh(storeAt(url))))

describe("a KurrentDB at start", () => {
  it.live("is named with variable, host and cause when it can't be reached, and tried a few times only", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.acquireUseRelease(
        Effect.promise(async () => {
          const double = new ProtocolDouble()
          await double.start()
          return double
        }),
        Effect.succeed,
        (double) => Effect.sync(() => double.stop())
      )
      const [tag, message] = yield* refusal(`kurrentdb://user:secret@127.0.0.1:${port}?tls=false`)
      assert.strictEqual(tag, "EngineUnusable")
      assert.match(
        message,
        new RegExp(`^KurrentDB at 127.0.0.1:${port} \\(KURRENTDB_URL\\) can't be used: connect ECONNREFUSED`)
      )
      assert.notInclude(message, "secret")
    }).pipe(Effect.provide(Layer.merge(freshClient, quiet)))
  )

  it.live("is refused with a certificate that nobody known has signed, and for good", () =>
    Effect.gen(function* () {
      const fileOf = (name: string) => readFileSync(new URL(`../../data/tls/${name}`, import.meta.url))
      const server = createSecureServer({ key: fileOf("key.pem"), cert: fileOf("cert.pem") })
      yield* Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening"))
      const { port } = server.address() as AddressInfo
      const [tag, message, passes] = yield* refusal(`kurrentdb://user:secret@localhost:${port}`)
      server.close()
      assert.deepStrictEqual([tag, passes], ["EngineUnusable", false])
      assert.match(
        message,
        new RegExp(
          `^KurrentDB at localhost:${port} \\(KURRENTDB_URL\\) can't be used: its certificate is not vouched for`
        )
      )
      assert.include(message, "tlsCAFile")
      assert.notInclude(message, "secret")
    }).pipe(Effect.provide(Layer.merge(freshClient, quiet)))
  )

  it.live("is refused when it is too old, or does not let its user read", () =>
    Effect.gen(function* () {
      const double = yield* Double
      double.version = "22.10.5"
      const [tag, old] = yield* refusal(double.url)
      assert.strictEqual(tag, "EngineUnusable")
      assert.include(old, "it is of version 22.10.5, and 23.10 is the oldest")
      double.version = "23.6.0"
      assert.include((yield* refusal(double.url))[1], "it is of version 23.6.0")
      double.version = "23.10.2"
      double.denied = true
      const [, denied] = yield* refusal(double.url)
      assert.match(denied, /does not let this user read everything/)
      double.denied = false
      const lines: Array<string> = []
      const told = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      yield* Effect.provide(started(double.url), told)
      assert.include(lines, `the log is in EventStoreDB 23.10.2 at 127.0.0.1:${double.port}`)
    }).pipe(Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )

  it.live("is refused when it has another database's log, or not this one's", () =>
    Effect.gen(function* () {
      const double = yield* Double
      yield* started(double.url)
      yield* started(double.url)
      const [tag, another] = yield* Effect.provide(refusal(double.url), Layer.fresh(freshClient))
      assert.strictEqual(tag, "NotOurs")
      assert.include(another, `the server at 127.0.0.1:${double.port} has the log of another database`)
      const empty = yield* startedDouble
      const [, lost] = yield* refusal(empty.url)
      assert.include(lost, "does not have this database's log")
      assert.lengthOf(empty.records.all, 0)
      const theirs = yield* startedDouble
      yield* Effect.provide(started(theirs.url), Layer.fresh(freshClient))
      assert.include((yield* refusal(theirs.url))[1], "has the log of another database")
      assert.lengthOf(theirs.records.all, 1)
      // nor does the database begin a log of its own beside it
      assert.include((yield* Effect.flip(ownLog)).message, "this database's log is in KurrentDB")
    }).pipe(Effect.provide(Layer.merge(doubleAndDatabase, quiet)), Effect.scoped)
  )

  it.live("is refused when it was set back, and by nothing that a scavenge has taken", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const all = double.records.all
      const keeping = Layer.build(Layer.fresh(storeAt(double.url, [{ streams: "usage-", seconds: 60 }])))
      const stream = fresh("usage")
      for (const _ of [1, 2, 3])
        yield* Effect.scoped(
          Effect.flatMap(keeping, (built) =>
            Context.get(built, EventStore).append(
              to(
                stream,
                "any",
                upTo(40).map(() => command())
              )
            )
          )
        )
      // what is known of it now is the place of an event that can't be read any more, and then of one that is gone
      yield* started(double.url)
      double.records.now = () => Date.now() + 61_000
      yield* started(double.url)
      double.records.scavenge()
      assert.strictEqual(all.at(-1)!.revision, 119)
      assert.strictEqual(all.filter((record) => record.stream === stream).length, 1)
      yield* started(double.url)
      const length = all.length - 1
      double.records.restore(length)
      const [tag, message] = yield* refusal(double.url)
      assert.strictEqual(tag, "NotOurs")
      assert.include(message, "has less of this database's log than it had")
      // others have written since, so that the place is in the middle of one of theirs
      double.foreign("theirs", [{ data: Buffer.alloc(200_000) }])
      assert.include((yield* refusal(double.url))[1], "has less of this database's log than it had")
      assert.lengthOf(all, length + 1)
    }).pipe(Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )

  it.live("is refused when it was set back by less than a minute, whatever ended the process", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const sql = yield* SqlClient.SqlClient
      const store = Effect.map(Layer.build(Layer.fresh(storeAt(double.url))), (built) => Context.get(built, EventStore))
      const written = Effect.gen(function* () {
        const { append, since } = yield* store
        const { positions } = yield* append(to(fresh()))
        // seen here, too
        yield* since(positions[0]!)
        return positions[0]!
      })
      const setBack = Effect.gen(function* () {
        double.records.restore(double.records.all.length - 1)
        const [tag, message] = yield* refusal(double.url)
        assert.strictEqual(tag, "NotOurs")
        assert.include(message, "has less of this database's log than it had")
        yield* sql`UPDATE kurrent_log SET known = 0`
        yield* sql`DELETE FROM read_models`
        yield* sql`DELETE FROM reactions`
      })
      // one that ended well
      yield* Effect.scoped(written)
      yield* setBack
      // and others that were killed: what they did tells
      for (const note of [
        (at: number) => sql`INSERT INTO reactions (name, position) VALUES ('one', ${at}), ('other', 0)`,
        (at: number) =>
          sql`INSERT INTO read_models (name, version, build, position) VALUES ('a', 1, 1, ${at}), ('b', 1, 1, 0)`
      ]) {
        yield* note(yield* written)
        yield* setBack
      }
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )

  it.live("is not taken for one that was set back because a place in it can't be read for a moment", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const sql = yield* SqlClient.SqlClient
      const place = yield* Effect.scoped(
        Effect.gen(function* () {
          const { append } = Context.get(yield* Layer.build(Layer.fresh(storeAt(double.url))), EventStore)
          const { positions } = yield* append(to(fresh()))
          yield* append(to(fresh()))
          return positions[0]!
        })
      )
      yield* sql`UPDATE kurrent_log SET known = ${place}`
      let faults = 3
      double.slow.before = async ({ position }) => {
        if (position === place && faults-- > 0) throw notReady()
      }
      yield* started(double.url)
      assert.isBelow(faults, 1)
    }).pipe(Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )

  it.live("is refused by a database that has events of its own", () =>
    Effect.gen(function* () {
      const double = yield* Double
      yield* ownLog
      yield* Effect.scoped(
        Effect.flatMap(EventStore, ({ append }) => append(to(fresh()))).pipe(Effect.provide(PostgresEventStore.layer))
      )
      const [tag, message] = yield* refusal(double.url)
      assert.strictEqual(tag, "NotOurs")
      assert.include(message, "can't be this database's log, which has events of its own")
      assert.lengthOf(double.records.all, 0)
    }).pipe(Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )

  it.live("that was begun by a process that was stopped is begun by the next one", () =>
    Effect.gen(function* () {
      const double = yield* Double
      double.loseAnswers = 20
      const [tag] = yield* refusal(double.url)
      assert.isString(tag)
      assert.lengthOf(double.records.all, 1)
      double.loseAnswers = 0
      yield* started(double.url)
      assert.lengthOf(double.records.all, 1)
    }).pipe(Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )

  it("ends a service that can't reach it with exit code 75 and one line, without its password", async () => {
    const installation = await newInstallation()
    const double = new ProtocolDouble()
    await double.start()
    double.stop()
    const service = startProcess(installation, {
      KURRENTDB_URL: `kurrentdb://user:secret@127.0.0.1:${double.port}?tls=false`
    })
    assert.strictEqual(await service.ended, 75, service.output.text)
    assert.match(
      service.output.text.trim(),
      /^cairn: KurrentDB at 127\.0\.0\.1:\d+ \(KURRENTDB_URL\) can't be used: connect ECONNREFUSED 127\.0\.0\.1:\d+$/
    )
    assert.notInclude(service.output.text, "secret")
    removeInstallation(installation)
  })
})
