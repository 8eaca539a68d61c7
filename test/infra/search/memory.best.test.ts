import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import type { Candidates } from "#domain/search/Candidate.ts"
import { asked } from "#domain/search/query.ts"
import { likeliest, matches, priorOf } from "#domain/search/rank.ts"
import { byMeaning } from "#domain/search/ranker.ts"
import { relevance, score, verdictOdds } from "#domain/search/score.ts"
import { atOnce } from "#engine/steps.ts"
import { Greatest } from "#infra/search/memory/Greatest.ts"
import { Ids } from "#infra/search/memory/Ids.ts"
import { Index } from "#infra/search/memory/Index.ts"
import { comparingBy } from "#infra/search/memory/layer.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import { type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings, encoder } from "#test/embeddings.ts"
import { corpus, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import { random } from "#test/random.ts"
import { snippet } from "../indexed.ts"

// An index looks at few of all that match. That these are the best is held here against all of them.

const languages = ["python", "go", "rust"]
const next = random(11)
const few = [...corpus("agent30"), ...corpus("mbpp").slice(0, 500)].map((document, at) => ({
  ...snippetOf(document),
  home: at % 2 === 0 ? "home" : "other",
  isPublic: at % 3 !== 0,
  agent: at % 11 === 0 ? "agent" : at % 13 === 0 ? "another" : null,
  kind: at % 7 === 0 ? ("script" as const) : ("file" as const),
  language: languages[at % 5] ?? "rust",
  up: Math.floor(next() ** 3 * 40),
  down: Math.floor(next() ** 3 * 40),
  humanUp: at % 2,
  completeness: (at % 5) / 4
}))
/** Copies differ in nothing but ids and votes, so that there are many that are as likely. */
const snippets = [...few, ...few.slice(0, 200).map((snippet) => ({ ...snippet, id: `${snippet.id}-again` }))]

const short = [...queries("agent30"), ...queries("mbpp").slice(0, 10)].slice(10).map(({ text }) => text)
const tasks = [
  ...short,
  ...short.slice(0, 10).map((_, at) => short.slice(at, at + 5).join(". ")),
  "sort",
  "list string number",
  "parse zzzzqq 重複を取り除く",
  "重複を取り除く list sort",
  "zzqqzzqq"
]
/** Tasks of which only words count. */
const unread = (task: string) => ({ ...asked(task, encoder), read: 0 })
/** Tasks that are asked by a model: of its cosines others stand for the table's. */
const byModel = (task: string) => ({
  ...asked(task, encoder),
  model: { called: "a model", weights: { low: 0.1, high: 0.6, meaning: 0.6, judge: byMeaning } }
})

const kinds: ReadonlyArray<Partial<IndexQuery>> = [
  {},
  { preferComplete: true, includePublic: false, minVerdict: 0 },
  { agent: "agent", minVerdict: 0.6 },
  { minVerdict: 0.3, language: "go" },
  { minHumanUp: 1, kinds: ["script"] },
  { agent: "another", also: new Set(snippets.slice(100, 140).map(({ id }) => id)) },
  { only: new Set(snippets.filter((_, at) => at % 7 === 0).map(({ id }) => id)) }
]

const filled = Effect.gen(function* () {
  const index = yield* SnippetIndex
  yield* index.apply({ put: snippets, voted: [], removed: [] }, { build: 1, position: 1 })
  const gone = snippets.slice(20, 60).map(({ id }) => id)
  yield* index.apply({ put: [], voted: [], removed: gone }, { build: 1, position: 2 })
  // slots that were given back are taken by others: postings are in no order any more
  yield* index.apply({ put: snippets.slice(50, 80), voted: [], removed: [] }, { build: 1, position: 3 })
  return index
})

const byId = (found: Candidates) => new Map(found.candidates.map((one) => [one.id, one]))

it.effect("the few that are asked for are the best of all, with all that is said of them", () =>
  Effect.gen(function* () {
    const index = yield* filled
    let compared = 0
    for (const [at, kind] of kinds.entries()) {
      for (const read of [asked, unread, byModel] as const) {
        for (const task of tasks) {
          const words = read(task, encoder)
          const { limit: _, ...rest } = queryOf(task)
          const query = { ...rest, homes: ["home"], includePublic: true, agent: null, ...kind, asked: words }
          const all = yield* index.candidates(query, 10_000)
          const inOrder = likeliest(words, all, query.preferComplete, query.also)
          assert.strictEqual(all.candidates.length, all.sharing + all.near, task)
          for (const most of [1, 10, 50]) {
            const some = yield* index.candidates(query, most)
            assert.deepStrictEqual([some.sharing, some.near], [all.sharing, all.near], task)
            const its = byId(some)
            // those that are wanted whatever they say come besides
            const expected = inOrder
              .filter(({ candidate }) => query.also?.has(candidate.id) !== true)
              .slice(0, most)
              .concat(inOrder.filter(({ candidate }) => query.also?.has(candidate.id) === true))
            assert.strictEqual(its.size, expected.length, `${at} ${task}`)
            for (const { candidate } of expected)
              assert.deepStrictEqual(its.get(candidate.id), candidate, `${at} ${most} ${task}`)
            compared += expected.length
          }
        }
      }
    }
    assert.isAbove(compared, 10_000)
  }).pipe(Effect.provide(Layer.provideMerge(comparingBy({ exactUpTo: 1_000_000, share: 0 }), embeddings)))
)

it.effect("counts and gives what its filters let through, each row looked at", () =>
  Effect.gen(function* () {
    const index = yield* filled
    const isSeen = (snippet: (typeof snippets)[number], isPublicToo: boolean) =>
      snippet.home === "home" || (isPublicToo && snippet.isPublic)
    const gone = new Set(snippets.slice(20, 50).map(({ id }) => id))
    for (const kind of kinds) {
      const query = { ...queryOf(tasks[0]!), homes: ["home"], includePublic: true, agent: null, ...kind }
      const words = asked("sort list string number of the", encoder)
      const { limit: _, ...rest } = query
      const found = yield* index.candidates({ ...rest, asked: words }, 10_000)
      const passing = snippets.filter((snippet) => {
        const verdict = (snippet.up + 2) / (snippet.up + snippet.down + 4)
        return (
          isSeen(snippet, query.includePublic) &&
          !gone.has(snippet.id) &&
          verdict >= query.minVerdict &&
          (query.agent === null || snippet.agent === null || snippet.agent === query.agent) &&
          snippet.humanUp >= (query.minHumanUp ?? 0) &&
          (query.kinds === undefined || query.kinds.includes(snippet.kind)) &&
          (query.language === undefined || query.language === snippet.language) &&
          (query.only === undefined || query.only.has(snippet.id))
        )
      })
      const ids = new Set(passing.map(({ id }) => id))
      for (const { id } of found.candidates) assert.isTrue(ids.has(id), id)
      const terms = new Set(words.texts[0]!.flatMap((alternatives) => alternatives.map((at) => words.terms[at]!)))
      const shares = ({ text }: (typeof snippets)[number]) =>
        Object.values(text).some((field) => field.split(" ").some((entry) => terms.has(entry.split("=")[0]!)))
      assert.strictEqual(found.sharing, passing.filter(shares).length)
      assert.isAbove(found.sharing, 0)
    }
  }).pipe(Effect.provide(Layer.provideMerge(comparingBy({ exactUpTo: 1_000_000, share: 0 }), embeddings)))
)

it.effect("among those that were not compared finds whose words make up for it", () =>
  Effect.gen(function* () {
    const index = yield* filled
    // what shares all words of a task and is near to nothing
    const far = Float32Array.from({ length: encoder.dimensions }, (_, at) => (at === 5 ? 1 : 0))
    const lone = Array.from({ length: 5 }, (_, at) => ({
      ...snippets[0]!,
      id: `lone-${at}`,
      home: "home",
      agent: null,
      // votes lift some of them, and are against one
      up: at < 2 ? 40 : 0,
      down: at === 4 ? 2 : 0,
      text: { name: "qwertz uiopu", description: "qwertz uiopu", exampleQueries: "qwertz uiopu", source: "" },
      vector: far
    }))
    yield* index.apply({ put: lone, voted: [], removed: [] }, { build: 1, position: 4 })
    const words = {
      ...asked("qwertz uiopu sort", encoder),
      terms: ["qwertz", "uiopu", "sort"],
      texts: [[[0], [1], [2]]]
    }
    const { limit: _, ...rest } = queryOf("")
    const query = { ...rest, homes: ["home"], includePublic: true, agent: null, asked: { ...words, read: 0.2 } }
    const found = yield* index.candidates(query, 10)
    for (const { id } of lone) assert.isTrue(byId(found).has(id), id)
    const [one] = found.candidates.filter(({ id }) => id === "lone-0")
    // it is one of the few by its words alone
    assert.isTrue(matches(true, score(relevance(0.5, one!.cosine, 0.2), priorOf(verdictOdds(one!.verdict), 0, false))))
  }).pipe(Effect.provide(Layer.provideMerge(comparingBy({ exactUpTo: 0, share: 0.02 }), embeddings)))
)

it("keeps the greatest of some numbers, and says what the next one has to reach", () => {
  const numbers = random(3)
  for (const most of [0, 1, 2, 7, 50]) {
    const greatest = new Greatest(most)
    const seen: Array<number> = []
    for (let round = 0; round < 200; round++) {
      const number = Math.floor(numbers() * 60)
      greatest.offer(number)
      seen.push(number)
      const expected = seen.toSorted((one, other) => other - one)[most - 1]
      const none = most === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
      assert.strictEqual(greatest.bar, expected ?? none)
    }
  }
})

it("of very many that are as likely it writes out the ids of those alone that are found, the first ones", () => {
  const index = new Index(128, comparing)
  const ids = Array.from({ length: 20_000 }, () => randomUUID())
  const one = snippet("home", "", { name: "sort_list", description: "", source: "sorted(list)" })
  for (const id of ids) index.put({ ...one, id })
  const { limit: _, ...rest } = queryOf("")
  const query = { ...rest, homes: ["home"], agent: null, asked: asked("sort a list", encoder) }
  const written = vi.spyOn(Ids.prototype, "at")
  const { candidates } = atOnce(index.searching(query, 50))
  assert.deepStrictEqual(candidates.map(({ id }) => id).sort(), ids.sort().slice(0, 50))
  // those that are left
  assert.strictEqual(written.mock.calls.length, 50)
})
