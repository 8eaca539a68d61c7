import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Engine } from "#infra/search/elastic/Engine.ts"
import { refreshed } from "#infra/search/elastic/refreshed.ts"

const answered = (status: number, body: object) =>
  Effect.exit(refreshed((() => Effect.succeed({ status, body })) as unknown as Engine["ask"], "snippets", 1_000))

it.effect("an index is refreshed where each copy was, and there is one", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* answered(200, { _shards: { successful: 2, failed: 0 } }), Exit.succeed(true))
    assert.deepStrictEqual(yield* answered(404, {}), Exit.succeed(false))
    for (const copies of [{ successful: 1, failed: 1 }, { successful: 0, failed: 0 }, undefined]) {
      const exit = yield* answered(200, copies === undefined ? {} : { _shards: copies })
      assert.include(JSON.stringify(exit), "did not refresh every copy of snippets")
    }
  })
)
