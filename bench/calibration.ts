import { Effect } from "effect"
import type { SnippetIndex } from "#ports/SnippetIndex.ts"
import { corpus, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import { offTopic } from "./offTopic.ts"
import { percentile } from "./report.ts"

/** From this score on the model `local` takes a snippet. */
const taken = 0.6

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
        const over = asked.filter(({ score }) => score >= taken)
        table[name] = {
          "right, on top": range(scores(asked.filter(({ right }) => right))),
          "wrong, on top": range(scores(asked.filter(({ right }) => !right))),
          "off-topic, on top": range(off),
          [`≥ ${taken}`]: `${over.length} of ${asked.length}`,
          "of these right": `${Math.round((100 * over.filter(({ right }) => right).length) / over.length)} %`,
          [`off-topic ≥ ${taken}`]: `${off.filter((score) => score >= taken).length} of ${off.length}`,
          "off-topic, anything": `${off.filter((score) => score > 0).length} of ${off.length}`
        }
      }
    }
    console.table(table)
  })
