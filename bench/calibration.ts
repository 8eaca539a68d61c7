import { Effect } from "effect"
import { leastOffered, leastTaken } from "#domain/search/offered.ts"
import type { SnippetIndex } from "#ports/SnippetIndex.ts"
import { corpus, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import { offTopic } from "./offTopic.ts"
import { percentile } from "./report.ts"

const range = (scores: ReadonlyArray<number>) =>
  [0.05, 0.5, 0.95].map((share) => percentile(scores, share).toFixed(2)).join(" ")

/** What scores tell: those of right, wrong and off-topic best matches (p5, median, p95), and what comes of a threshold. */
export const calibration = (index: Effect.Effect<SnippetIndex["Service"]>) =>
  Effect.gen(function* () {
    const table: Record<string, Record<string, string>> = {}
    for (const set of ["mbpp", "agent30"] as const) {
      for (const [name, documents] of [
        [set, corpus(set)],
        [`${set} + distractors`, [...corpus(set), ...corpus("distractors")]]
      ] as const) {
        const ours = yield* index
        yield* ours.put(documents.map((document) => snippetOf(document)))
        const asked = yield* Effect.forEach(queries(set), ({ text, relevant }) =>
          Effect.map(ours.search(queryOf(text)), ({ matches: [best] }) => ({
            score: best?.score ?? 0,
            right: best !== undefined && relevant.includes(best.id)
          }))
        )
        const off = yield* Effect.forEach(offTopic, (task) =>
          Effect.map(ours.search(queryOf(task)), ({ matches: [best] }) => best?.score ?? 0)
        )
        const scores = (of: typeof asked) => of.map(({ score }) => score)
        const over = asked.filter(({ score }) => score >= leastTaken)
        table[name] = {
          "right, on top": range(scores(asked.filter(({ right }) => right))),
          "wrong, on top": range(scores(asked.filter(({ right }) => !right))),
          "off-topic, on top": range(off),
          [`≥ ${leastTaken}`]: `${over.length} of ${asked.length}`,
          "of these right": `${Math.round((100 * over.filter(({ right }) => right).length) / over.length)} %`,
          [`off-topic ≥ ${leastTaken}`]: `${off.filter((score) => score >= leastTaken).length} of ${off.length}`,
          "off-topic, anything": `${off.filter((score) => score > 0).length} of ${off.length}`
        }
      }
    }
    console.table(table)
  })

const thresholds = [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8]

/**
 * What is worth offering an agent, by the least score: for tasks that a snippet of the store does, how many are offered
 * something, how many the right one, and how many of what is offered (best ones, and all of the first five) are right; and how
 * many tasks that none does are offered something all the same.
 */
export const offers = (index: Effect.Effect<SnippetIndex["Service"]>) =>
  Effect.gen(function* () {
    const percent = (part: number, whole: number) => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`)
    for (const set of ["mbpp", "agent30"] as const) {
      for (const [name, documents] of [
        [set, corpus(set)],
        [`${set} + distractors`, [...corpus(set), ...corpus("distractors")]]
      ] as const) {
        const ours = yield* index
        yield* ours.put(documents.map((document) => snippetOf(document)))
        const ask = (task: string) => Effect.map(ours.search({ ...queryOf(task), limit: 5 }), ({ matches }) => matches)
        const asked = yield* Effect.forEach(queries(set), ({ text, relevant }) =>
          Effect.map(ask(text), (found) => found.map(({ id, score }) => ({ score, right: relevant.includes(id) })))
        )
        const off = yield* Effect.forEach(offTopic, ask)
        const table = Object.fromEntries(
          thresholds.map((least) => {
            const kept = asked.map((found) => found.filter(({ score }) => score >= least))
            const some = kept.filter((found) => found.length > 0)
            const all = kept.flat()
            return [
              `${name} ≥ ${least}${least === leastOffered ? " (offered)" : ""}`,
              {
                "tasks with an offer": percent(some.length, asked.length),
                "with the right one": percent(
                  kept.filter((found) => found.some(({ right }) => right)).length,
                  asked.length
                ),
                "best ones right": percent(some.filter(([best]) => best!.right).length, some.length),
                "all right": percent(all.filter(({ right }) => right).length, all.length),
                "offers a task": (all.length / asked.length).toFixed(2),
                "off-topic with an offer": `${off.filter((found) => found.some(({ score }) => score >= least)).length} of ${off.length}`
              }
            ]
          })
        )
        console.table(table)
      }
    }
  })
