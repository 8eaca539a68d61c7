import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, PubSub } from "effect"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { fresh, to } from "../../engine/appends.ts"
import { startedDouble, storeAt } from "../../kurrent/stores.ts"
import { freshClient } from "../stores.ts"

describe("hints of a log in KurrentDB", () => {
  // the clock stands still: what is told each second is told to nobody
  it.effect("come of what another process has appended", () =>
    Effect.gen(function* () {
      const { url } = yield* startedDouble
      const store = Effect.map(Layer.build(Layer.fresh(storeAt(url))), (built) => Context.get(built, EventStore))
      const [mine, other] = [yield* store, yield* store]
      const hinted = yield* mine.hints
      const { positions } = yield* other.append(to(fresh()))
      yield* PubSub.take(hinted)
      assert.strictEqual((yield* mine.since(beginning)).head, positions[0])
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(freshClient, Logger.layer([]))))
  )
})
