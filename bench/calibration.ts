import { Effect } from "effect"
import { leastTaken } from "#domain/search/offered.ts"
import { offTopic } from "#test/offTopic.ts"
import { percentile } from "./report.ts"
import { eachStore, type Searching, type Store } from "./stores.ts"

const range = (scores: ReadonlyArray<number>) =>
  [0.05, 0.5, 0.95].map((share) => percentile(scores, share).toFixed(2)).join(" ")

const row = ({ name, queries, ask }: Store) => {
  const asked = queries.map(({ text, relevant }) => {
    const [best] = ask(text, 10)
    return { score: best?.score ?? 0, right: best !== undefined && relevant.includes(best.id) }
  })
  const off = offTopic.map((task) => ask(task, 10)[0]?.score ?? 0)
  const scores = (of: typeof asked) => of.map(({ score }) => score)
  const over = asked.filter(({ score }) => score >= leastTaken)
  return [
    name,
    {
      "right, on top": range(scores(asked.filter(({ right }) => right))),
      "wrong, on top": range(scores(asked.filter(({ right }) => !right))),
      "off-topic, on top": range(off),
      [`≥ ${leastTaken}`]: `${over.length} of ${asked.length}`,
      "of these right": `${Math.round((100 * over.filter(({ right }) => right).length) / over.length)} %`,
      [`off-topic ≥ ${leastTaken}`]: `${off.filter((score) => score >= leastTaken).length} of ${off.length}`,
      "off-topic, anything": `${off.filter((score) => score > 0).length} of ${off.length}`
    }
  ] as const
}

/**
 * What scores tell: those of right, wrong and off-topic best matches (p5, median, p95), and what comes of a threshold.
 */
export const calibration = (index: Effect.Effect<Searching>) =>
  Effect.map(eachStore(index, row), (rows) => console.table(Object.fromEntries(rows)))
