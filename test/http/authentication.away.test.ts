import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Asker, Stale } from "#engine/ask.ts"
import { positionOf } from "#engine/Position.ts"
import { Authentication } from "#src/api/middleware.ts"
import * as Authenticating from "#src/http/middleware/authentication.ts"
import { Notes } from "#src/notes.ts"
import { ownerKey } from "#test/service.ts"

/**
 * What a key is told while the keys' read model stands at 5, and was last seen to owe as much as `due`; it has no keys.
 */
const told = (due: number, away: boolean) =>
  Effect.gen(function* () {
    const { bearer } = yield* Authentication
    const answer = bearer(Effect.die("let in") as never, { credential: Redacted.make(ownerKey) } as never)
    const result = yield* Effect.result(answer as unknown as Effect.Effect<never, { readonly code: string }>)
    return Result.isFailure(result) ? result.failure.code : undefined
  }).pipe(
    Effect.provide(
      Authenticating.layer.pipe(
        Layer.provide(
          Layer.mergeAll(
            Layer.succeed(SqlClient.SqlClient, (() => Effect.succeed([])) as never),
            Layer.succeed(Notes, {} as never),
            Layer.mock(Asker, {
              look: Effect.succeed({ head: positionOf(due), models: new Map(), away }),
              freshBy: () => {
                const at = positionOf(5)
                const standing = { position: at, changed: at, due: positionOf(due) }
                return Effect.fail(new Stale({ name: "keys", standing, away }))
              }
            })
          )
        )
      )
    )
  )

describe("a key, while the log is away", () => {
  it.effect("is looked up in what is known, where that is all that was seen of the log", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told(5, true), "auth/invalid_api_key")
    })
  )

  it.effect("waits where it may have been revoked, as it does while the log is there", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told(6, true), "unavailable/keys")
      assert.strictEqual(yield* told(6, false), "unavailable/keys")
    })
  )
})
