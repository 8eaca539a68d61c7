import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as KurrentAudit from "#infra/kurrent/audit.ts"
import { LogAudit } from "#ports/LogAudit.ts"
import { fresh, to } from "../../engine/appends.ts"
import { storeOnDouble } from "../../kurrent/stores.ts"

describe("an audit of a log in KurrentDB", () => {
  it.live("is refused where it would look at the log from below, and finds where the log was at a time", () =>
    Effect.gen(function* () {
      const audit = yield* LogAudit
      const { append } = yield* EventStore
      const first = yield* append(to(fresh()))
      while (Date.now() <= first.recordedAt) yield* Effect.yieldNow
      const second = yield* append(to(fresh()))
      assert.strictEqual(yield* audit.at(first.recordedAt - 1), beginning)
      assert.strictEqual(yield* audit.at(first.recordedAt), first.positions[0])
      assert.strictEqual(yield* audit.at(second.recordedAt + 1_000), second.positions[0])
      for (const look of [Effect.asVoid(audit.read(beginning, 1)), Effect.asVoid(audit.strays)])
        assert.include((yield* Effect.flip(look)).message, "can't be looked at from below")
    }).pipe(Effect.provide(Layer.provideMerge(KurrentAudit.layer, storeOnDouble)))
  )
})
