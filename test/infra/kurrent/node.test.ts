import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import { Mark } from "#infra/kurrent/Log.ts"
import { command, fresh, noted, to, upTo } from "../../engine/appends.ts"
import { contract } from "../../engine/EventStore.contract.ts"
import { server } from "../../kurrent/Server.contract.ts"
import { storeAt } from "../../kurrent/stores.ts"
import { freshClient } from "../stores.ts"

const url = process.env["KURRENTDB_TEST_URL"]

/** A log and a database of its own, beside those of other runs on the node. */
const own = Layer.unwrap(Effect.sync(() => Layer.merge(Layer.succeed(Mark, fresh("cairn-log")), freshClient)))
const store = Layer.unwrap(Effect.sync(() => storeAt(url!))).pipe(Layer.provideMerge(own))

describe.skipIf(!url)("a KurrentDB node", () => {
  server("the node", Layer.unwrap(Effect.sync(() => Kurrent.layer(Redacted.make(url!)))))

  contract("KurrentDB", store)

  layer(own, { excludeTestServices: true })("several processes on it", (it) => {
    it.effect("of those that give one command at once, all are answered with what went in", () =>
      Effect.gen(function* () {
        const another = Effect.map(Layer.build(Layer.fresh(storeAt(url!))), (built) => Context.get(built, EventStore))
        const stores = yield* Effect.forEach(upTo(3), () => another)
        for (const expected of ["none", "any"] as const) {
          const [stream, { commandId }] = [fresh(), command()]
          const answers = yield* Effect.forEach(
            stores,
            ({ append }, n) =>
              append(to(stream, expected, [command({ commandId, events: [noted({ data: `{"n":${n}}` })] })])),
            { concurrency: "unbounded" }
          )
          const [event, ...more] = yield* stores[0]!.outcome(stream, commandId)
          assert.lengthOf(more, 0)
          assert.lengthOf(
            answers.filter(({ before }) => before === undefined),
            1
          )
          for (const { before } of answers) if (before !== undefined) assert.deepStrictEqual(before, [[event!]])
        }
      }).pipe(Effect.scoped)
    )
  })
})
