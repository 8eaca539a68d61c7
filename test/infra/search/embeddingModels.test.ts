import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe } from "vitest"
import * as HttpEmbeddings from "#infra/search/embeddings/HttpEmbeddings.ts"
import * as TableEmbeddings from "#infra/search/embeddings/TableEmbeddings.ts"
import { type EmbeddingFailed, EmbeddingModel } from "#ports/EmbeddingModel.ts"
import type { EmbeddingSettings } from "#ports/EmbeddingSettings.ts"
import { type EmbeddingsApi, type Fault, queryPrefix, startEmbeddingsApi } from "#test/EmbeddingsApi.ts"
import { embeddings } from "#test/embeddings.ts"
import { modelContract } from "./embeddingModel.ts"

const api: EmbeddingsApi = await startEmbeddingsApi(384)
afterAll(() => api.close())

const settings = (more: Partial<EmbeddingSettings> = {}): EmbeddingSettings => ({
  url: api.url,
  model: "a-model",
  apiKey: Redacted.make(api.key),
  dimensions: 384,
  prefixes: { document: "", query: queryPrefix },
  weights: undefined,
  ...more
})

modelContract("table", Layer.provide(TableEmbeddings.layer, embeddings))
modelContract("http", HttpEmbeddings.layer(settings()))

const secret = "the text that nobody is to see"

describe("a server of embeddings", () => {
  beforeAll(() => api.script(() => undefined))

  const model = (more: Partial<EmbeddingSettings> = {}) =>
    Effect.provide(EmbeddingModel, Layer.fresh(HttpEmbeddings.layer(settings(more))))
  const asked = (fault: Fault | undefined, more: Partial<EmbeddingSettings> = {}) =>
    Effect.gen(function* () {
      const before = api.requests.length
      api.script(() => fault)
      const failed = yield* Effect.flip(Effect.flatMap(model(more), ({ queries }) => queries([secret])))
      return { failed, requests: api.requests.length - before }
    })
  const kindOf = ({ fault, passes, byTexts }: EmbeddingFailed) => ({ fault, passes, byTexts })

  const refused = (passes: boolean, byTexts = false) => ({ fault: "refused" as const, passes, byTexts })
  const final = (fault: EmbeddingFailed["fault"]) => ({ fault, passes: false, byTexts: false })
  const body = "<html>the text that nobody is to see</html>"
  const faults: ReadonlyArray<readonly [string, Fault, ReturnType<typeof kindOf>]> = [
    ["HTML instead of JSON", { body }, final("malformed")],
    ["JSON of something else", { body: '{"data": {"embedding": [1]}}' }, final("malformed")],
    ["NaN, which is no JSON", { body: '{"data":[{"index":0,"embedding":[NaN]}]}' }, final("malformed")],
    ["a vector too few", { lacks: 1 }, final("malformed")],
    ["a vector for another text", { body: '{"data":[{"index":1,"embedding":[1]}]}' }, final("malformed")],
    ["vectors of another width", { width: 383 }, final("wrong-dimensions")],
    ["numbers that are none", { numbers: new Array(384).fill("NaN") }, final("not-finite")],
    ["null for a number", { numbers: new Array(384).fill(null) }, final("not-finite")],
    ["numbers that are too great", { numbers: new Array(384).fill(1e300) }, final("not-finite")],
    ["zeros alone", { numbers: new Array(384).fill(0) }, final("not-finite")],
    ["a redirect", { status: 307, headers: { location: "http://127.0.0.1:9/v1/embeddings" } }, final("redirected")],
    ["401", { status: 401 }, refused(false)],
    ["404", { status: 404, body }, refused(false)],
    ["400", { status: 400, body }, refused(false, true)],
    ["413", { status: 413 }, refused(false, true)],
    ["429", { status: 429, headers: { "retry-after": "7" } }, refused(true)],
    ["500", { status: 500, body }, refused(true)],
    ["a connection that ends", { cut: true }, { fault: "unreachable", passes: true, byTexts: false }]
  ]

  it.effect.each(faults)("%s: a typed error, in one line that quotes nothing", ([, fault, expected]) =>
    Effect.gen(function* () {
      const { failed } = yield* asked(fault)
      assert.deepStrictEqual(kindOf(failed), expected)
      for (const word of [secret, "html", api.key, "\n"]) assert.notInclude(failed.told, word)
      assert.include(failed.told, "CAIRN_EMBEDDINGS_URL")
    })
  )

  it.effect("that says when to come again is left alone so long", () =>
    Effect.gen(function* () {
      const { failed } = yield* asked({ status: 429, headers: { "retry-after": "7" } })
      assert.strictEqual(failed.pause, 7_000)
      assert.isUndefined((yield* asked({ status: 429, headers: { "retry-after": "soon" } })).failed.pause)
    })
  )

  it.effect("an answer of a gigabyte is broken off long before", () =>
    Effect.gen(function* () {
      const { failed } = yield* asked({ bytes: 2 ** 30 })
      assert.deepStrictEqual(kindOf(failed), final("too-large"))
      assert.isBelow(api.sent(), 64 * 2 ** 20)
    })
  )

  it.live("that falls silent is given up", () =>
    Effect.gen(function* () {
      const settled = Promise.withResolvers<void>()
      api.script(() => ({ after: settled.promise }))
      const impatient = HttpEmbeddings.layer(settings(), 50)
      const { queries } = yield* Effect.provide(EmbeddingModel, Layer.fresh(impatient))
      assert.deepStrictEqual(kindOf(yield* Effect.flip(queries([secret]))), {
        fault: "late",
        passes: true,
        byTexts: false
      })
      settled.resolve()
    })
  )

  it.live("is told the width where it makes another one, and from then on", () =>
    Effect.gen(function* () {
      api.script(() => undefined)
      const { queries } = yield* model({ dimensions: 200 })
      const before = api.requests.length
      assert.lengthOf((yield* queries(["sort"]))[0]!, 200)
      yield* queries(["sort"])
      const sent = api.requests.slice(before).map(({ body }) => body.dimensions)
      assert.deepStrictEqual(sent, [undefined, 200, 200])
    })
  )

  it.effect("of what passes documents are tried three times, a query once", () =>
    Effect.gen(function* () {
      api.script(() => ({ status: 503 }))
      const before = api.requests.length
      const { documents, queries } = yield* model()
      assert.strictEqual((yield* Effect.flip(queries(["sort"]))).fault, "refused")
      assert.strictEqual(api.requests.length - before, 1)
      const trying = yield* Effect.forkChild(Effect.flip(documents(["sort"])))
      // a moment for the requests themselves, which have no clock of ours
      const until = (count: number) =>
        Effect.promise(async () => {
          while (api.requests.length - before < count) await new Promise((go) => setTimeout(go, 5))
        })
      yield* until(2)
      const passing = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            TestClock.adjust("1 second"),
            Effect.promise(() => new Promise(setImmediate))
          )
        )
      )
      assert.strictEqual((yield* Fiber.join(trying)).fault, "refused")
      yield* Fiber.interrupt(passing)
      assert.strictEqual(api.requests.length - before, 4)
    })
  )

  it.effect("gets documents in batches, each with its prefix, the model's name and the key", () =>
    Effect.gen(function* () {
      api.script(() => undefined)
      const before = api.requests.length
      const { documents } = yield* model({ prefixes: { document: "passage: ", query: "" } })
      yield* documents(Array.from({ length: 70 }, (_, at) => `sort ${at}`))
      const sent = api.requests.slice(before)
      assert.deepStrictEqual(
        sent.map(({ texts }) => texts.length),
        [32, 32, 6]
      )
      assert.isTrue(sent.every(({ texts }) => texts.every((text) => text.startsWith("passage: "))))
      assert.deepStrictEqual(new Set(sent.map(({ body }) => body.model)), new Set(["a-model"]))
    })
  )

  it("has vectors under a name that its model, its width and its documents' prefix make", () => {
    const nameOf = (more: Partial<EmbeddingSettings>) => Effect.runSync(Effect.map(model(more), ({ name }) => name))
    const names = [
      {},
      { model: "b" },
      { dimensions: 385 },
      { prefixes: { document: "d", query: queryPrefix } },
      { url: "http://other/v1" },
      { prefixes: { document: "", query: "q" } }
    ].map(nameOf)
    assert.strictEqual(new Set(names.slice(0, 4)).size, 4)
    assert.deepStrictEqual([names[4], names[5]], [names[0], names[0]])
  })
})
