import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { describe as suite, it as test } from "vitest"
import { beginning } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as KurrentAudit from "#infra/kurrent/audit.ts"
import { LogAudit } from "#ports/LogAudit.ts"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { command, fresh, noted, to, typed, upTo } from "../../engine/appends.ts"
import { remove, stored } from "../../http/store.ts"
import { serviceOnDouble } from "../../kurrent/service.ts"
import { Double, storeOnDouble } from "../../kurrent/stores.ts"

const audited = Layer.provideMerge(KurrentAudit.layer([{ streams: "usage-", seconds: 60 }]), storeOnDouble)

describe("an audit of a log in KurrentDB", () => {
  it.live("finds where the log was at a time", () =>
    Effect.gen(function* () {
      const { at } = yield* LogAudit
      const { append } = yield* EventStore
      const first = yield* append(to(fresh()))
      while (Date.now() <= first.recordedAt) yield* Effect.yieldNow
      const second = yield* append(to(fresh()))
      assert.strictEqual(yield* at(first.recordedAt - 1), beginning)
      assert.strictEqual(yield* at(first.recordedAt), first.positions[0])
      assert.strictEqual(yield* at(second.recordedAt + 1_000), second.positions[0])
    }).pipe(Effect.provide(audited))
  )

  it.live(
    "tells of each event where the one before it is, also of one that was read long ago, and of what was scavenged",
    () =>
      Effect.gen(function* () {
        const { append, readStream } = yield* EventStore
        const double = yield* Double
        const [stream, used] = [fresh(), fresh("usage")]
        double.foreign(`$$${used}`, [{ type: "$metadata", data: Buffer.from('{"$maxAge":60}') }])
        for (const name of [stream, used, stream, used, used]) yield* append(to(name))
        const { events } = yield* readStream(stream, -1)
        const before = Effect.gen(function* () {
          // of another process, which remembers nothing
          const { read } = yield* Effect.provide(
            LogAudit,
            Layer.fresh(KurrentAudit.layer([{ streams: "usage-", seconds: 60 }]))
          )
          const found = yield* read(events[0]!.position, 100)
          return found.map((event) => [event.stream === stream, event.revision, event.before])
        })
        const [one] = (yield* readStream(used, -1)).events
        const two = (yield* readStream(used, 0)).events[0]!
        assert.deepStrictEqual(yield* before, [
          [false, 0, null],
          [true, 1, events[0]!.position],
          [false, 1, one!.position],
          [false, 2, two.position]
        ])
        double.records.now = () => Date.now() + 61_000
        double.records.scavenge()
        assert.deepStrictEqual(yield* before, [
          [true, 1, events[0]!.position],
          [false, 2, beginning]
        ])
      }).pipe(Effect.provide(audited))
  )

  it.live("finds where the log was at a time also behind more than one page, and at its end", () =>
    Effect.gen(function* () {
      const { at } = yield* LogAudit
      const { append } = yield* EventStore
      let last = yield* append(to(fresh()))
      for (const _ of upTo(6)) last = yield* append(to(fresh()))
      while (Date.now() <= last.recordedAt) yield* Effect.yieldNow
      const next = yield* append(to(fresh()))
      assert.strictEqual(yield* at(last.recordedAt), last.positions[0])
      assert.strictEqual(yield* at(next.recordedAt + 1_000), next.positions[0])
    }).pipe(Effect.provide(audited), Effect.provideService(Bounds, { count: 3, bytes: 20_000 }))
  )

  it.live("tells of an event whose stream is not kept for a time that the one before it is missing", () =>
    Effect.gen(function* () {
      const double = yield* Double
      const { read } = yield* LogAudit
      const { append } = yield* EventStore
      const [stream, used] = [fresh(), fresh("usage")]
      for (const name of [stream, used, stream, used]) yield* append(to(name))
      // a stream begins behind its first event, as one that was scavenged does; nothing takes events of the other one
      for (const name of [stream, used])
        double.foreign(`$$${name}`, [{ type: "$metadata", data: Buffer.from('{"$maxAge":60}') }])
      double.records.now = () => Date.now() + 61_000
      double.records.scavenge()
      const found = yield* read(beginning, 100)
      assert.deepStrictEqual(
        found.map((event) => [event.stream, event.revision, event.before]),
        [
          [stream, 1, null],
          [used, 1, beginning]
        ]
      )
    }).pipe(Effect.provide(audited))
  )

  it.live("tells that a text was erased only of an event that came with one", () =>
    Effect.gen(function* () {
      const { read } = yield* LogAudit
      const { append } = yield* EventStore
      const subject = fresh("subject")
      const data = JSON.stringify({ subject, text: null })
      yield* append(to(fresh(), "none", [command({ events: [noted({ data })] })]))
      yield* append(to(fresh(), "none", [command({ events: [noted({ erases: [subject] })] })]))
      const found = yield* read(beginning, 100)
      assert.deepStrictEqual(
        found.map(({ hasText, erasedAt }) => [hasText, erasedAt]),
        [
          [false, null],
          [false, null]
        ]
      )
    }).pipe(Effect.provide(audited))
  )

  it.live("tells of each text whose it is, its digest, and whether it was erased", () =>
    Effect.gen(function* () {
      const { read } = yield* LogAudit
      const { append } = yield* EventStore
      const sql = yield* SqlClient.SqlClient
      const subject = fresh("subject")
      const payload = typed(subject, "said")
      const digest = createHash("sha256").update(payload.salt).update(payload.bytes).digest("hex")
      const data = JSON.stringify({ subject, text: digest })
      yield* append(to(fresh(), "none", [command({ events: [noted({ data, payload }), noted()] })]))
      const looked = Effect.map(read(beginning, 100), (found) =>
        found.map(({ hasText, text, erasedAt }) => ({ hasText, text, erasedAt }))
      )
      const plain = { hasText: false, text: null, erasedAt: null }
      assert.deepStrictEqual(yield* looked, [
        { hasText: true, text: { tenant: "tenant", subject, digest }, erasedAt: null },
        plain
      ])
      yield* sql`UPDATE kurrent_texts SET bytes = '\\x00'`
      assert.notStrictEqual((yield* looked)[0]!.text!.digest, digest)
      yield* append(to(fresh(), "none", [command({ events: [noted({ erases: [subject] })] })]))
      assert.deepStrictEqual(yield* looked, [{ hasText: true, text: null, erasedAt: "unknown" }, plain, plain])
    }).pipe(Effect.provide(audited))
  )
})

suite("verify with the log in KurrentDB", () => {
  const world = serviceOnDouble()
  const look = () =>
    world.service.run(
      verify(projections, () => undefined).pipe(
        Effect.provide(audit({ dataDir: world.service.dataDir, kurrentdbUrl: Redacted.make(world.double.url) }))
      )
    )

  test("finds nothing in a store that is as it was written, and what was changed in it", async () => {
    const { service, double } = world
    const tenant = await organization(service, "ENTERPRISE", 2)
    await memberKey(tenant.call, "max@example.org")
    const { keys } = (await tenant.call("POST", "/api/keys/org/list")).json
    const { user_id } = keys.find((key: { readonly user_email: string }) => key.user_email === "max@example.org")
    assert.strictEqual((await tenant.call("DELETE", `/api/users/${user_id}`)).status, 200)
    for (const name of ["kept", "gone"]) await stored(service.call, name)
    assert.strictEqual((await remove(service.call, "gone")).status, 200)
    double.foreign(
      "theirs",
      upTo(3).map(() => ({}))
    )
    const { findings, ...verified } = await look()
    assert.deepStrictEqual(findings, [])
    assert.strictEqual(verified.undigested, verified.events)
    assert.isAbove(verified.texts, 0)
    assert.isAbove(verified.erased, 1)

    await service.sql("UPDATE kurrent_texts SET bytes = '\\x00' WHERE bytes LIKE '%Does kept.%'::bytea")
    const messages = async () => (await look()).findings.map(({ message }) => message)
    assert.match((await messages()).join("\n"), /its text is not the one that was appended/)
    await service.sql("DELETE FROM kurrent_texts WHERE bytes = '\\x00'")
    assert.match((await messages()).join("\n"), /its text is missing, and was not erased/)
    // an event that is not what its command led to, behind the last of its stream
    const own = double.records.all.findLast(({ type }) => type.startsWith("Snippet"))!
    double.foreign(own.stream, [{ ...own, id: crypto.randomUUID() }])
    assert.match((await messages()).join("\n"), /is not that of its command/)
  })
})
