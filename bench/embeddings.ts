import { Effect, Redacted } from "effect"
import { queryPrefix, startEmbeddingsApi } from "#test/EmbeddingsApi.ts"
import { corpus, queries } from "#test/evaluation.ts"
import { benchDatabase } from "./database.ts"
import { temporaryFolder } from "./http.ts"
import { service } from "./process.ts"
import { type Measured, milliseconds, percentile, thousands } from "./report.ts"

const dimensions = 1_536
const snippets = 2_000
const searches = 300
const turns = 3
const uploading = 16

/** The model's answers are made, and its JSON written, in the process of the benchmark. */
const modelOf = Effect.acquireRelease(
  Effect.promise(() => startEmbeddingsApi(dimensions)),
  (api) => Effect.promise(api.close)
)

/** What a fill takes, and a search by a model beside one by the table, with a stand-in that answers at once. */
export const embeddings = (scale: number) =>
  Effect.gen(function* () {
    const { url } = yield* benchDatabase
    const dataDir = yield* temporaryFolder
    const api = yield* modelOf
    const env = { DATABASE_URL: Redacted.value(url), CAIRN_DATABASE_CONNECTIONS: "8", CAIRN_RATE_LIMITS: "off" }
    const byTable = yield* service(dataDir, env)
    const send = async ({ port, key }: typeof byTable, path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) })
      })
      return response.json()
    }
    const documents = [...corpus("mbpp"), ...corpus("distractors")].slice(0, Math.round(snippets * scale))
    const next = documents[Symbol.iterator]()
    const upload = async () => {
      for (const { name, source } of next) {
        const file_written = { path: `${name}.py`, content: source }
        const body = { task: name, succeeded: true, use_service_ai_voting: false, file_written }
        await send(byTable, "/api/store/execution-result", body)
      }
    }
    yield* Effect.promise(() => Promise.all(Array.from({ length: uploading }, upload)))

    const began = performance.now()
    const byModel = yield* service(dataDir, {
      ...env,
      CAIRN_EMBEDDINGS_URL: api.url,
      CAIRN_EMBEDDINGS_MODEL: "bench",
      CAIRN_EMBEDDINGS_DIMENSIONS: String(dimensions),
      CAIRN_EMBEDDINGS_API_KEY: api.key,
      CAIRN_EMBEDDINGS_QUERY_PREFIX: queryPrefix
    })
    const tasks = queries("mbpp").slice(0, searches)
    const ask = (of: typeof byTable, at: number, turn: number) =>
      // no answer comes from memory
      send(of, "/api/retrieve/search", { task: `${tasks[at % tasks.length]!.text} ${turn}` })
    yield* Effect.promise(async () => {
      while ((await ask(byModel, 0, -1)).fallback !== undefined) await new Promise((go) => setTimeout(go, 20))
    })
    const took = performance.now() - began
    const requests = api.requests.filter(({ texts }) => !texts[0]!.startsWith(queryPrefix))
    const texts = requests.reduce((sum, request) => sum + request.texts.length, 0)

    const times: { readonly [by in "table" | "model"]: Array<number> } = { table: [], model: [] }
    let fallbacks = 0
    for (let turn = 0; turn < turns; turn++)
      for (const [by, of] of [["table", byTable] as const, ["model", byModel] as const])
        for (let at = 0; at < searches; at++) {
          const from = performance.now()
          const answer = yield* Effect.promise(() => ask(of, at, turn))
          times[by].push(performance.now() - from)
          if (answer.fallback !== undefined) fallbacks++
        }
    const told = (some: ReadonlyArray<number>) =>
      `p50 ${milliseconds(percentile(some, 0.5))}, p99 ${milliseconds(percentile(some, 0.99))}`
    const rows: ReadonlyArray<Measured> = [
      {
        name: `filling an index by a model, ${thousands(texts)} texts of ${thousands(documents.length)} snippets, ${thousands(dimensions)} numbers`,
        value: `${thousands((1_000 * texts) / took)}/s from the process's start on, ${requests.length} requests`,
        bar: "",
        met: null
      },
      { name: "a search over HTTP by the table, nothing from memory", value: told(times.table), bar: "", met: null },
      { name: "the same by the model", value: `${told(times.model)}, ${fallbacks} fallbacks`, bar: "", met: null }
    ]
    return rows
  }).pipe(Effect.scoped)
