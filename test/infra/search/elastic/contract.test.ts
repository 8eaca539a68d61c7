import { afterAll, describe } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { newIndex } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { changesContract } from "../changes.ts"
import { contract } from "../contract.ts"
import { meaningContract } from "../meaning.ts"
import { alikeContract } from "./alike.ts"

const nodes = isHere ? await shared() : ["http://127.0.0.1:9"]
const both = nodes.join(",")
const proxy = await startProxy(nodes[0]!)

/** A step is a request: it does not come through, or its answer does not come back, and nothing behind it does. */
const cut = <A, E, R>(step: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    proxy.cutAfter(Math.floor(step / 2), step % 2 === 1)
    const exit = yield* Effect.exit(effect)
    proxy.heal()
    return Exit.isSuccess(exit)
  })

describe.skipIf(!isHere)("Elasticsearch", () => {
  afterAll(() => proxy.stop())
  contract("Elasticsearch", newIndex(both))
  meaningContract("Elasticsearch", newIndex(both))
  alikeContract(newIndex(both))
  changesContract("Elasticsearch", newIndex(proxy.url), cut)
})
