import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { keyFrom, unlimited } from "#domain/Key.ts"
import { Asker } from "#engine/ask.ts"
import { Authentication } from "#src/api/middleware.ts"
import { Arrived } from "#src/http/arrived.ts"
import { layer } from "#src/http/middleware/authentication.ts"
import { Notes } from "#src/notes.ts"

const holder = {
  key: "k",
  user: "u",
  tenant: "t",
  organization: "t",
  role: "owner",
  tier: "PRO",
  secret: "s",
  ...unlimited
}
const key = keyFrom(new Uint8Array(64))!

it.effect("a key that was looked up while it was revoked is let in by nothing that was remembered", () =>
  Effect.gen(function* () {
    let changed = 1
    let holders: ReadonlyArray<object> = [holder]
    let wait: Effect.Effect<void> = Effect.void
    let lookups = 0
    const sql = () =>
      Effect.suspend(() => {
        lookups += 1
        const found = holders
        return Effect.as(wait, found)
      })
    const means = Layer.mergeAll(
      Layer.succeed(SqlClient.SqlClient, sql as never),
      Layer.succeed(Asker, {
        look: Effect.succeed({}),
        freshBy: () => Effect.sync(() => ({ changed }))
      } as never),
      Layer.succeed(Notes, { used: () => Effect.void } as never)
    )
    const { bearer } = yield* Effect.provide(Authentication, Layer.provide(layer, means))
    const calling = Effect.exit(
      bearer(
        Effect.succeed(HttpServerResponse.empty()) as never,
        {
          credential: Redacted.make(key),
          group: { identifier: "chat" },
          endpoint: { identifier: "models" }
        } as never
      )
    ) as Effect.Effect<Exit.Exit<unknown, unknown>>

    assert.isTrue(Exit.isSuccess(yield* calling))
    assert.isTrue(Exit.isSuccess(yield* calling))
    assert.strictEqual(lookups, 1)

    changed = 2
    const found = yield* Deferred.make<void>()
    wait = Deferred.await(found)
    const slow = yield* Effect.forkChild(calling, { startImmediately: true })
    changed = 3
    holders = []
    wait = Effect.void
    assert.isTrue(Exit.isFailure(yield* calling))
    yield* Deferred.succeed(found, undefined)
    // it came before
    assert.isTrue(Exit.isSuccess(yield* Fiber.join(slow)))
    assert.isTrue(Exit.isFailure(yield* calling))
  })
)

it.effect("a look is passed on to what the request reads if all of it had come when the look began", () =>
  Effect.gen(function* () {
    const seen = {}
    const looked = yield* Deferred.make<void>()
    const means = Layer.mergeAll(
      Layer.succeed(SqlClient.SqlClient, (() => Effect.succeed([holder])) as never),
      Layer.succeed(Asker, {
        look: Effect.as(Deferred.await(looked), seen),
        freshBy: () => Effect.succeed({ changed: 1 })
      } as never),
      Layer.succeed(Notes, { used: () => Effect.void } as never)
    )
    const { bearer } = yield* Effect.provide(Authentication, Layer.provide(layer, means))
    const called = (incoming: { complete: boolean }) => {
      let arrived: unknown
      const reading = Effect.map(Arrived, (found) => {
        arrived = found
        return HttpServerResponse.empty()
      })
      const asked = {
        credential: Redacted.make(key),
        group: { identifier: "chat" },
        endpoint: { identifier: "models" }
      }
      const request = Object.create({ source: incoming, headers: {} })
      return Effect.as(
        (bearer(reading as never, asked as never) as Effect.Effect<unknown>).pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, request)
        ),
        () => arrived
      )
    }
    const whole = { complete: true }
    const behindItsHead = { complete: false }
    const later = { complete: false }
    const all = yield* Effect.forEach(
      [whole, behindItsHead, later],
      (incoming) => Effect.forkChild(called(incoming), { startImmediately: true }),
      {}
    ).pipe(Effect.tap(() => Effect.sync(() => void (behindItsHead.complete = true))))
    // what comes with another message is heard of only after this
    yield* Effect.promise(() => Promise.resolve())
    later.complete = true
    yield* Deferred.succeed(looked, undefined)
    const arrived = yield* Effect.forEach(all, (one) => Effect.map(Fiber.join(one), (found) => found()))
    assert.deepStrictEqual(
      arrived.map((one) => one === seen),
      [true, true, false]
    )
  })
)
