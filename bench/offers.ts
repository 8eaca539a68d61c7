import { Effect } from "effect"
import { isNear } from "#domain/search/offered.ts"
import type { Ranked } from "#domain/search/rank.ts"
import { nonsense, offTopic } from "#test/offTopic.ts"
import { eachStore, type Searching, type Store } from "./stores.ts"

type Rule = (match: Ranked) => boolean

/** What can be offered by: the least score alone, the least cosine alone, and what is done. */
const rules: ReadonlyArray<readonly [name: string, rule: Rule]> = [
  ...[0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8].map(
    (least) => [`score ≥ ${least}`, ({ score }: Ranked) => score >= least] as const
  ),
  ...[0.6, 0.65, 0.7, 0.75].map((least) => [`cosine ≥ ${least}`, ({ vector }: Ranked) => vector >= least] as const),
  ...[0.02, 0.05, 0.1].flatMap((score) =>
    [0.63, 0.67].map(
      (least) =>
        [
          `≥ 0.6, or ≥ ${score} and cosine ≥ ${least}`,
          (one: Ranked) => one.score >= 0.6 || (one.score >= score && one.vector >= least)
        ] as const
    )
  ),
  ["offered", isNear]
]

const percent = (part: number, whole: number) => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`)

/**
 * How often the right one is offered, and how often what is offered is right, of the first five matches of each task.
 */
const of = ({ queries, ask }: Store, rule: Rule) => {
  const kept = queries.map(({ text, relevant }) =>
    ask(text, 5)
      .filter(rule)
      .map(({ id }) => relevant.includes(id))
  )
  const some = kept.filter((found) => found.length > 0)
  const all = kept.flat()
  const right = kept.filter((found) => found.includes(true)).length
  return {
    "best ones right": percent(some.filter(([best]) => best).length, some.length),
    "all right": percent(all.filter((right) => right).length, all.length),
    "right one among them": percent(right, some.length),
    "offers a task": (all.length / Math.max(1, some.length)).toFixed(1),
    recall: percent(right, queries.length),
    "recall of best": percent(kept.filter(([best]) => best).length, queries.length)
  }
}

const offered = ({ ask }: Store, tasks: ReadonlyArray<string>, rule: Rule) =>
  `${tasks.filter((task) => ask(task, 5).some(rule)).length} of ${tasks.length}`

/**
 * What is worth offering an agent, by rule: for tasks that a snippet of the store does, how many are offered the right
 * one (new tasks, and such as were asked before), and how much of what is offered is right; and how many tasks that no
 * snippet does are offered something all the same.
 */
export const offers = (index: Effect.Effect<Searching>) =>
  Effect.gen(function* () {
    const before = yield* eachStore(
      index,
      (store) => new Map(rules.map(([name, rule]) => [name, of(store, rule)])),
      true
    )
    const tables = yield* eachStore(index, (store) =>
      rules.map(([name, rule]) => ({
        name,
        store: store.name,
        ...of(store, rule),
        "off-topic": offered(store, offTopic, rule),
        nonsense: offered(store, nonsense, rule)
      }))
    )
    for (const [at, rows] of tables.entries()) {
      console.log(rows[0]!.store)
      console.table(
        Object.fromEntries(
          rows.map(({ name, store, ...row }) => [name, { ...row, "asked before": before[at]!.get(name)!.recall }])
        )
      )
    }
  })
