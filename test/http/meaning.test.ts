import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { meaningOf } from "#domain/search/embeddings/vector.ts"
import type { Explanation } from "#domain/search/explanation.ts"
import { schema } from "#projections/Snippets/tables.ts"
import { shownExplanation } from "#src/http/Snippets/explanation.ts"
import type { Call } from "#test/service/call.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { matches, remove, stored } from "./store.ts"

let installation: TestInstallation
let service: Service
let call: Call
beforeAll(async () => {
  installation = await newInstallation()
  service = await startService({}, installation)
  call = service.call
})
afterAll(async () => {
  await service.stop()
  removeInstallation(installation)
})

const purge = `def purge_messages(box, days):
    limit = today() - days
    return [one for one in box if one.date > limit]
`
const send = (path: string, content: string, task: string) =>
  stored(call, "unused", { task, file_written: { path, content }, use_service_ai_voting: false })

const question = "delete all old emails"

/** What the catalogue has of snippets' meanings. */
const rows = (where = "true") =>
  service.sql<{ id: string; vector: string; task_vector: string }>(
    `SELECT id, vector, task_vector FROM ${schema}.terms WHERE ${where}`
  )

describe("a search by what a task means", () => {
  it("finds what shares no word with it, and says how near it is", async () => {
    await send("purge_messages.py", purge, "keep the inbox small")
    await send("draw_polygon.py", "def draw_polygon(canvas, points):\n    canvas.stroke(points)\n", "paint a shape")
    const { status, json } = await call("POST", "/api/retrieve/search", { task: question })
    assert.deepStrictEqual([status, json.total_found, json.matches.length], [200, 1, 1])
    const [{ code_block, score, combined_score, vector_score }] = json.matches
    assert.strictEqual(code_block.name, "purge_messages")
    assert.isTrue(vector_score > 0.3 && vector_score < 1)
    assert.strictEqual(combined_score, score)
    // unvoted, and no word of it: a store of two has nothing else that could be meant
    assert.isTrue(score > 0.3 && score < 1)
  })

  it("says why a match has its score, where that is asked for", async () => {
    const asked = { task: "purge old messages", explain: true, top_k: 1 }
    const { status, json } = await call("POST", "/api/retrieve/search", asked)
    assert.strictEqual(status, 200)
    const [{ code_block, score, vector_score, explanation }] = json.matches
    assert.strictEqual(code_block.name, "purge_messages")
    // unvoted, and completeness does not count
    assert.strictEqual(explanation.probability, score)
    assert.strictEqual(explanation.cosine, vector_score)
    assert.deepStrictEqual([explanation.verdict, explanation.completeness.effect], [{ value: 0.5, effect: 0 }, 0])
    const shares: ReadonlyArray<{ word: string; place: string; share: number }> = explanation.words
    assert.includeMembers(
      shares.map(({ word, place }) => `${word} ${place}`),
      ["purg name", "messag name", "purg source"]
    )
    assert.closeTo(
      shares.reduce((sum, { share }) => sum + share, 0),
      explanation.word_share,
      1e-6
    )
    const nearest: ReadonlyArray<{ asked: string; found: string; cosine: number }> = explanation.nearest
    assert.isTrue(nearest.some(({ asked, found, cosine }) => asked === "messages" && found === asked && cosine > 0.999))
    assert.strictEqual(explanation.length.characters, purge.length)
    const { json: plain } = await call("POST", "/api/retrieve/search", { ...asked, explain: false })
    assert.deepStrictEqual([plain.matches[0].score, plain.matches[0].explanation], [score, undefined])
  })

  it("says nothing of somebody else's tasks when it explains", () => {
    const effect = { value: 0, effect: 0 }
    const of: Explanation = {
      probability: 0.5,
      wordShare: 0.5,
      words: [
        { word: "wombat", place: "tasks", share: 0.3 },
        { word: "rows", place: "name", share: 0.2 }
      ],
      meaningBy: "table",
      cosine: 0.5,
      nearest: [{ asked: "wombats", found: "wombat", place: "tasks", cosine: 0.9 }],
      verdict: effect,
      completeness: effect,
      learned: { effect: 0, tasks: [] },
      hub: effect,
      length: { characters: 1, effect: 0 }
    }
    assert.include(JSON.stringify(shownExplanation(of, true)), "wombat")
    const shown = shownExplanation(of, false)
    assert.notInclude(JSON.stringify(shown), "wombat")
    assert.lengthOf(shown.words, 1)
  })

  it("takes what a snippet was used for as a description of it", async () => {
    const sharing = "def handle(box):\n    return box.flush()\n"
    const near = async () => (await matches(call, "toss stale mails"))[0]
    await send("handle.py", sharing, "first step")
    assert.notStrictEqual((await near())?.code_block.name, "handle")
    await send("handle.py", sharing, "throw away outdated e-mail")
    assert.strictEqual((await near())?.code_block.name, "handle")
  })

  it("is the same after a restart, from what the catalogue has", async () => {
    const before = await matches(call, question)
    await service.stop()
    service = await startService({}, installation)
    call = service.call
    assert.deepStrictEqual(await matches(call, question), before)
  })

  it("leaves no vector of a deleted snippet", async () => {
    const [match] = await matches(call, question)
    const id = match!.code_block.id
    const [row] = await rows(`id = '${id}'`)
    const own = meaningOf(row!.vector, row!.task_vector)
    assert.strictEqual(own?.length, 128)
    const others = (await rows()).length
    assert.strictEqual((await remove(call, id)).json.deleted_count, 1)
    assert.deepStrictEqual(
      (await matches(call, question)).filter(({ code_block }) => code_block.id === id),
      []
    )
    assert.deepStrictEqual([await rows(`id = '${id}'`), (await rows()).length], [[], others - 1])
  })
})
