import { afterAll, afterEach, assert, beforeAll, describe, it, vi } from "vitest"
import type { EmbeddingsApi, Script } from "#test/EmbeddingsApi.ts"
import { queryPrefix, startEmbeddingsApi } from "#test/EmbeddingsApi.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { matches, remove, stored, upload } from "./store.ts"

let api: EmbeddingsApi
let installation: TestInstallation
let service: Service
/** More of the environment than names the model. */
const start = (more: { readonly [name: string]: string } = {}) =>
  startService(
    {
      CAIRN_EMBEDDINGS_URL: api.url,
      CAIRN_EMBEDDINGS_MODEL: "first-model",
      CAIRN_EMBEDDINGS_DIMENSIONS: "330",
      CAIRN_EMBEDDINGS_API_KEY: api.key,
      CAIRN_EMBEDDINGS_QUERY_PREFIX: queryPrefix,
      ...more
    },
    installation
  )
beforeAll(async () => {
  api = await startEmbeddingsApi(330)
  installation = await newInstallation()
  service = await start()
})
afterEach(() => api.script(() => undefined))
afterAll(async () => {
  await service.stop()
  await api.close()
  removeInstallation(installation)
})

const answerOf = async (task: string, more: object = {}, of = service) => {
  const { status, json, text } = await of.call("POST", "/api/retrieve/search", { task, ...more })
  assert.strictEqual(status, 200, text)
  return json
}
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
/** An answer by the model, as soon as there is one. */
const byModel = (task: string, more: object = {}, of = service) =>
  vi.waitFor(
    async () => {
      const answer = await answerOf(task, more, of)
      assert.isUndefined(answer.fallback)
      return answer
    },
    { timeout: 60_000, interval: 20 }
  )
const vectors = (where = "true") =>
  service.sql<{ digest: string; vector: string; model: string; snippets: number }>(
    `SELECT v.*, (SELECT count(*)::int FROM embedded e WHERE e.digest = v.digest) AS snippets FROM embeddings v WHERE ${where}`
  )
const isQuery: (request: Parameters<Script>[0]) => boolean = ({ texts }) => texts[0]!.startsWith(queryPrefix)
const ready = async () => (await service.call("GET", "/ready")).json
const warnings = () => service.log.filter((line) => line.includes('"WARN"') || line.includes('"level":"warn"'))

const purge = "def purge_messages(box, days):\n    return [one for one in box if one.date > days]\n"
const question = "delete all old emails"

describe("an embeddings server", () => {
  it("is what a search goes by, and says so where that is asked for", async () => {
    await stored(service.call, "unused", { task: "inbox", file_written: { path: "purge_messages.py", content: purge } })
    await stored(service.call, "draw_polygon")
    const { matches: found } = await byModel(question, { explain: true })
    assert.strictEqual(found[0].code_block.name, "purge_messages")
    assert.strictEqual(found[0].explanation.meaning_by, "first-model")
    assert.isTrue(found[0].vector_score > 0.2 && found[0].vector_score < 1)
    assert.isTrue((await answerOf(question)).cache_hit === false)
    assert.isTrue((await byModel(question)).cache_hit)
    assert.deepStrictEqual((await ready()).embeddings, { model: "first-model", state: "ok" })
    // four bytes, and two for each of 332 numbers, a multiple of four
    for (const { vector } of await vectors()) assert.strictEqual(Buffer.from(vector, "base64").length, 4 + 2 * 332)
    assert.lengthOf(await vectors(), 2)
  })

  it("that does not answer within a moment is not waited for: the table finds, and says so", async () => {
    const silence = Promise.withResolvers<void>()
    api.script((request) => (isQuery(request) ? { after: silence.promise } : undefined))
    const task = "draw a polygon"
    const late = await answerOf(task, { explain: true })
    assert.deepStrictEqual([late.fallback, late.cache_hit], ["not_embedded", false])
    assert.strictEqual(late.matches[0].code_block.name, "draw_polygon")
    assert.strictEqual(late.matches[0].explanation.meaning_by, "table")
    assert.include((await ready()).embeddings.state, "did not answer within 300 ms")
    assert.strictEqual((await answerOf(task)).fallback, "not_embedded")
    silence.resolve()
    api.script(() => undefined)
    // what was found without it was not kept
    const { cache_hit, matches: found } = await byModel(task)
    assert.deepStrictEqual([cache_hit, found[0].code_block.name], [false, "draw_polygon"])
    assert.strictEqual((await ready()).embeddings.state, "ok")
  })

  it("is waited for by no upload, and until it has embedded what is new the table finds that", async () => {
    const silence = Promise.withResolvers<void>()
    api.script((request) => (isQuery(request) ? undefined : { after: silence.promise }))
    await stored(service.call, "tune_xylophone")
    const meanwhile = await answerOf("tune xylophone")
    assert.deepStrictEqual([meanwhile.fallback, meanwhile.matches[0].code_block.name], ["filling", "tune_xylophone"])
    assert.strictEqual((await ready()).embeddings.state, "filling")
    silence.resolve()
    api.script(() => undefined)
    assert.strictEqual((await byModel("tune xylophone")).matches[0].code_block.name, "tune_xylophone")
    assert.lengthOf(await vectors(), 3)
  })

  it("that makes no vectors of use leaves none, says so in one line, and all else goes on", async () => {
    const before = await vectors()
    const said = service.log.length
    api.script(() => ({ width: 12 }))
    assert.strictEqual((await upload(service.call, "whisk_eggs")).status, 200)
    const found = await answerOf("whisk eggs")
    assert.strictEqual(found.matches[0].code_block.name, "whisk_eggs")
    assert.include(["filling", "not_embedded"], found.fallback)
    await until(async () => assert.include((await ready()).embeddings.state, "have not 330 numbers"))
    assert.deepStrictEqual(await vectors(), before)
    const lines = service.log.slice(said).filter((line) => line.includes("searches go by the table"))
    assert.lengthOf(lines, 1)
    assert.isEmpty(lines.filter((line) => /whisk|eggs|sk-embeddings/.test(line)))
  })

  it("that is whole again is taken up again", async () => {
    await service.stop()
    service = await start()
    assert.strictEqual((await byModel("whisk eggs")).matches[0].code_block.name, "whisk_eggs")
    assert.lengthOf(await vectors(), 4)
  })

  it("is asked once for what is there: a start reads vectors that are kept", async () => {
    const documents = () => api.requests.filter((request) => !isQuery(request)).length
    const before = documents()
    await service.stop()
    service = await start()
    await byModel("whisk eggs")
    assert.strictEqual(documents(), before)
  })

  it("that can't take a text is given its beginning, and what it can't take at all is found by its words", async () => {
    api.script(({ texts }) => (texts.some((text) => text.length > 1_500) ? { status: 400 } : undefined))
    const long = `def fold_napkin(x):\n    return x\n${"# napkin ".repeat(400)}`
    await stored(service.call, "unused", { file_written: { path: "fold_napkin.py", content: long } })
    assert.strictEqual((await byModel("fold a napkin")).matches[0].code_block.name, "fold_napkin")
    assert.isEmpty(await vectors("vector = ''"))
    api.script(({ texts }) => (texts.some((text) => text.includes("iron_shirt")) ? { status: 413 } : undefined))
    await stored(service.call, "iron_shirt")
    assert.strictEqual((await byModel("iron a shirt")).matches[0].code_block.name, "iron_shirt")
    assert.lengthOf(await vectors("vector = ''"), 1)
  })

  it("leaves no vector of erased text; of the same text elsewhere it stays until that goes, too", async () => {
    const elsewhere = { "x-cairn-workspace-id": "another" }
    await stored(service.call, "shell_peas")
    await stored(service.call, "shell_peas", {}, elsewhere)
    await byModel("shell peas")
    const [shared] = await vectors("digest IN (SELECT digest FROM embedded GROUP BY digest HAVING count(*) > 1)")
    assert.strictEqual(shared?.snippets, 2)
    const of = () => vectors(`digest = '${shared!.digest}'`)
    const idsOf = async (headers = {}) =>
      (await matches(service.call, "shell peas", { top_k: 100 }, headers)).flatMap(({ code_block: { id, name } }) =>
        name === "shell_peas" ? [id] : []
      )
    const [one] = await idsOf()
    const [other] = (await idsOf(elsewhere)).filter((id) => id !== one)
    assert.isTrue(one !== undefined && other !== undefined)
    assert.strictEqual((await remove(service.call, one!)).json.deleted_count, 1)
    await until(async () =>
      assert.deepStrictEqual(
        (await of()).map(({ snippets }) => snippets),
        [1]
      )
    )
    assert.strictEqual((await remove(service.call, other!, {}, elsewhere)).json.deleted_count, 1)
    await until(async () => assert.isEmpty(await of()))
    assert.isEmpty(await service.sql("SELECT FROM embedded WHERE snippet = ANY ($1::text[])", [[one, other]]))
  })

  it("that has another task to embed for a snippet drops what it had made before", async () => {
    const before = (await vectors()).length
    await stored(service.call, "draw_polygon", { task: "paint a shape with corners" })
    const found = await byModel("paint a shape with corners")
    assert.strictEqual(found.matches[0].code_block.name, "draw_polygon")
    assert.lengthOf(await vectors(), before)
  })

  it("of another model fills an index beside the table's, which is searched until then; the old vectors go", async () => {
    const count = (await vectors()).length
    await service.stop()
    const gate = Promise.withResolvers<void>()
    api.script((request) => (isQuery(request) ? undefined : { after: gate.promise }))
    service = await start({ CAIRN_EMBEDDINGS_MODEL: "second-model", CAIRN_EMBEDDINGS_DIMENSIONS: "331" })
    const meanwhile = await answerOf(question, { explain: true })
    assert.deepStrictEqual([meanwhile.fallback, meanwhile.matches[0].code_block.name], ["filling", "purge_messages"])
    assert.lengthOf(new Set((await vectors()).map(({ model }) => model)), 1)
    gate.resolve()
    api.script(() => undefined)
    const { matches: found } = await byModel(question, { explain: true })
    assert.strictEqual(found[0].explanation.meaning_by, "second-model")
    await until(async () => {
      const rows = await vectors()
      assert.deepStrictEqual([rows.length, new Set(rows.map(({ model }) => model)).size], [count, 1])
    })
  })

  it("is shared by processes on one log: each finds the same, and a text is embedded once", async () => {
    const more = { CAIRN_EMBEDDINGS_MODEL: "second-model", CAIRN_EMBEDDINGS_DIMENSIONS: "331" }
    const other = await start(more)
    try {
      const before = api.requests.filter((request) => !isQuery(request)).length
      await stored(other.call, "braid_hair")
      const [here, there] = [await byModel("braid hair"), await byModel("braid hair", {}, other)]
      assert.deepStrictEqual(
        here.matches.map(({ score, vector_score }: { score: number; vector_score: number }) => [score, vector_score]),
        there.matches.map(({ score, vector_score }: { score: number; vector_score: number }) => [score, vector_score])
      )
      assert.strictEqual(api.requests.filter((request) => !isQuery(request)).length, before + 1)
    } finally {
      await other.stop()
    }
  })

  it("that is named no more: the table is searched, and what is deleted leaves no vector all the same", async () => {
    await service.stop()
    service = await startService({}, installation)
    const { fallback, matches: found } = await answerOf(question)
    assert.isUndefined(fallback)
    assert.isUndefined((await ready()).embeddings)
    const before = (await vectors()).length
    await remove(service.call, found[0].code_block.id)
    await until(async () => assert.lengthOf(await vectors(), before - 1))
    assert.isEmpty(warnings())
  })
})
