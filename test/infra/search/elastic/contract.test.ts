import { afterAll, describe } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { whyNot } from "#test/elasticsearch/distribution.ts"
import { newIndex } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { startElasticsearch } from "#test/elasticsearch/server.ts"
import { changesContract } from "../changes.ts"
import { contract } from "../contract.ts"
import { meaningContract } from "../meaning.ts"
import { alikeContract } from "./alike.ts"

const isHere = whyNot() === undefined
const [server] = isHere ? await startElasticsearch() : []
const url = server?.url ?? "http://127.0.0.1:9"
const proxy = await startProxy(url)

/** A step is a request: it does not come through, or its answer does not come back, and nothing behind it does. */
const cut = <A, E, R>(step: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    proxy.cutAfter(Math.floor(step / 2), step % 2 === 1)
    const exit = yield* Effect.exit(effect)
    proxy.heal()
    return Exit.isSuccess(exit)
  })

describe.skipIf(!isHere)("Elasticsearch", () => {
  afterAll(async () => {
    proxy.stop()
    await server?.stop()
  })
  contract("Elasticsearch", newIndex(url))
  meaningContract("Elasticsearch", newIndex(url))
  alikeContract(newIndex(url))
  changesContract("Elasticsearch", newIndex(proxy.url), cut)
})
