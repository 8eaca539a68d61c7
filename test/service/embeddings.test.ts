import { afterAll, assert, beforeAll, it, vi } from "vitest"
import { type EmbeddingsApi, queryPrefix, startEmbeddingsApi } from "#test/EmbeddingsApi.ts"
import { newInstallation, ownerKey, removeInstallation, type TestInstallation } from "#test/service.ts"
import { stored } from "../http/store.ts"
import { type Call, send } from "./call.ts"
import { startProcess } from "./process.ts"

let api: EmbeddingsApi
let installation: TestInstallation
beforeAll(async () => {
  installation = await newInstallation()
  api = await startEmbeddingsApi(1_536)
})
afterAll(async () => {
  await api.close()
  removeInstallation(installation)
})

const environment = () => ({
  CAIRN_OWNER_KEY: ownerKey,
  CAIRN_RATE_LIMITS: "off",
  CAIRN_EMBEDDINGS_URL: api.url,
  CAIRN_EMBEDDINGS_MODEL: "of-a-process",
  CAIRN_EMBEDDINGS_DIMENSIONS: "1536",
  CAIRN_EMBEDDINGS_API_KEY: api.key,
  CAIRN_EMBEDDINGS_QUERY_PREFIX: queryPrefix
})

const start = async () => {
  const service = startProcess(installation, environment())
  const [, url] = await service.said(/Cairn is at (http:\S+)/)
  const call: Call = (method, path, body, headers = {}) =>
    send(url!, method, path, body, { authorization: `Bearer ${ownerKey}`, ...headers })
  const ask = async (task: string) => (await call("POST", "/api/retrieve/search", { task, explain: true })).json
  return { ...service, call, ask }
}
type Started = Awaited<ReturnType<typeof start>>

const byModel = ({ ask }: Started, task: string) =>
  vi.waitFor(
    async () => {
      const answer = await ask(task)
      assert.isUndefined(answer.fallback)
      assert.strictEqual(answer.matches[0].explanation.meaning_by, "of-a-process")
      return answer.matches as ReadonlyArray<{ readonly score: number; readonly code_block: { readonly id: string } }>
    },
    { timeout: 60_000, interval: 50 }
  )
const shown = (matches: Awaited<ReturnType<typeof byModel>>) =>
  matches.map(({ score, code_block }) => [code_block.id, score])

it("processes on one log end with the same vectors, also where the one that makes them is killed", async () => {
  const one = await start()
  const gate = Promise.withResolvers<void>()
  api.script(({ texts }) => (texts.some((text) => text.includes("knead_dough")) ? { after: gate.promise } : undefined))
  await stored(one.call, "bake_bread")
  await byModel(one, "bake bread")
  const other = await start()
  // its server is silent in the midst of it
  await stored(one.call, "knead_dough")
  assert.strictEqual((await other.ask("knead dough")).fallback, "filling")
  await one.stop("SIGKILL")
  api.script(() => undefined)
  gate.resolve()
  const there = await byModel(other, "knead dough")
  const third = await start()
  assert.deepStrictEqual(shown(await byModel(third, "knead dough")), shown(there))
  for (const { output } of [one, other, third]) assert.notInclude(output.text, api.key)
  await Promise.all([other.stop(), third.stop()])
})
