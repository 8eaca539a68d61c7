import { Effect } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { importLines } from "#src/snippets/import.ts"
import { readLines } from "#src/snippets/lines.ts"
import { corpus, type EvaluationDocument, type EvaluationQuery, qualityOf, queries } from "#test/evaluation.ts"
import { isLong } from "#test/long.ts"
import { random, sample } from "#test/random.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** A set, and what a service finds of it at the least (nDCG@10, R@10); `e2e/mainJob.test.ts` asks for mbpp alone. */
type Set = readonly [string, () => ReadonlyArray<EvaluationDocument>, ReadonlyArray<EvaluationQuery>, number, number]

const agent30: Set = ["agent30", () => corpus("agent30"), queries("agent30"), 0.75, 0.94]
/** With so many beside them an import takes a minute. */
const among: ReadonlyArray<Set> = [
  [
    "agent30 among 2,127",
    () => [...corpus("agent30"), ...sample(corpus("distractors"), 1_969, random(1))],
    queries("agent30"),
    0.55,
    0.8
  ],
  ["mbpp among 12,898", () => [...corpus("mbpp"), ...corpus("distractors")], queries("mbpp"), 0.68, 0.86]
]

it.each(isLong ? [agent30, ...among] : [agent30])(
  "over HTTP a service finds as well as was measured without one: %s",
  async (_, documents, asked, ndcg, recall) => {
    const { id, call } = await organization(service, "PRO")
    const all = documents()
    const lines = async function* () {
      for (const { name, description, source, language, tags } of all)
        yield Buffer.from(`${JSON.stringify({ name, description, source, language, tags })}\n`)
    }
    const to = { tenant: id, secret: "s", home: id, workspace: null, publish: false }
    const on = { bad: () => {}, done: () => {} }
    const { bad } = await service.run(Effect.scoped(importLines(readLines(lines()), to, on)))
    assert.isEmpty(bad)
    // what has the same source is one snippet
    const sources = new Map(all.map(({ id, source }) => [id, source]))
    const wanted = asked.map((query) => ({ ...query, relevant: query.relevant.map((id) => sources.get(id)!) }))
    const found = new Map<string, ReadonlyArray<string>>()
    for (const { text } of asked) {
      const { status, json } = await call("POST", "/api/retrieve/search", { task: text, top_k: 10 })
      assert.strictEqual(status, 200)
      found.set(
        text,
        json.matches.map(({ code_block }: { readonly code_block: { readonly source: string } }) => code_block.source)
      )
    }
    const quality = qualityOf(wanted, (text) => found.get(text)!)
    assert.isAtLeast(quality.ndcg, ndcg)
    assert.isAtLeast(quality.recall, recall)
  }
)
