import type { Judge } from "#domain/search/Judge.ts"
import { logitOf } from "#domain/search/probability.ts"
import { probability } from "#domain/search/score.ts"
import { qualityOf } from "#test/evaluation.ts"
import { median, percentile } from "../report.ts"
import { area, calibrationError, precision, type Said } from "./calibrate.ts"
import { judged, sources } from "./fit.ts"
import type { Group } from "./groups.ts"

/** Matches of a query that are looked at. */
const shown = 10

/** What may be: of all sources together, of one set, and the best score of a task that nothing does, in the median. */
const bounds = { pooled: 0.05, set: 0.12, offTopic: 0.15 }

type JudgeOf = (group: Group) => Judge

const saidOf = (group: Group, judgeOf: JudgeOf): ReadonlyArray<Said> => {
  const judge = judgeOf(group)
  return judged(judge, group)
    .slice(0, shown)
    .map(({ signs, right }) => ({ probability: probability(logitOf(judge, signs)), right }))
}

const isOffTopic = ({ query }: Group) => query.relevant.length === 0

const bySet = (groups: ReadonlyArray<Group>) => [
  ...Map.groupBy(
    groups.filter(({ source }) => sources.includes(source) || source === "small"),
    ({ set }) => set
  )
]

const ofDev = (groups: ReadonlyArray<Group>) => groups.filter(({ source }) => sources.includes(source))

const bestOf = (groups: ReadonlyArray<Group>, judgeOf: JudgeOf) =>
  groups.flatMap((group) => saidOf(group, judgeOf).slice(0, 1))

/** Best scores of tasks that no snippet does, by set. */
const offTopicOf = (groups: ReadonlyArray<Group>, judgeOf: JudgeOf) =>
  [
    ...Map.groupBy(
      groups.filter((group) => isOffTopic(group) && group.source !== "small"),
      ({ set }) => set
    )
  ].map(([set, some]) => [set, some.map((group) => saidOf(group, judgeOf)[0]?.probability ?? 0)] as const)

/** nDCG@10 of what a judge puts first. */
const ndcgOf = (groups: ReadonlyArray<Group>, judgeOf: JudgeOf): number => {
  const order = new Map(groups.map((group) => [group.query, judged(judgeOf(group), group).map(({ id }) => id)]))
  const asked = groups.map(({ query }) => query).filter(({ relevant }) => relevant.length > 0)
  const of = asked.map((query) => qualityOf([query], () => order.get(query)!.slice(0, 10)).ndcg)
  return of.reduce((sum, ndcg) => sum + ndcg, 0) / of.length
}

const share = (value: number) => (Number.isNaN(value) ? "–" : value.toFixed(3))

/** A row a set: what scores say of best matches, and of all ten. */
export const calibrationTable = (
  groups: ReadonlyArray<Group>,
  judgeOf: JudgeOf,
  title?: string
): ReadonlyArray<readonly [string, object]> => {
  const row = (name: string, some: ReadonlyArray<Group>): readonly [string, object] => {
    const best = bestOf(some, judgeOf)
    const half = precision(best, 0.5)
    return [
      title === undefined ? name : `${name} (${title})`,
      {
        "nDCG@10": share(ndcgOf(some, judgeOf)),
        "ECE, best": share(calibrationError(best)),
        "ECE, ten": share(calibrationError(some.flatMap((group) => saidOf(group, judgeOf)))),
        "said, so": `${share(best.reduce((sum, { probability }) => sum + probability, 0) / best.length)} ${share(best.filter(({ right }) => right).length / best.length)}`,
        area: share(area(best)),
        "right of ≥ .5": `${share(half.right)} of ${half.count}`
      }
    ]
  }
  return [
    ...bySet(groups).map(([name, some]) => row(name, some)),
    row("all but small stores", ofDev(groups)),
    ...offTopicOf(groups, judgeOf).map(
      ([set, best]) =>
        [
          title === undefined ? set : `${set} (${title})`,
          { "best score": `median ${share(median(best))}, p95 ${share(percentile(best, 0.95))}` }
        ] as const
    )
  ]
}

/** What is beyond its bound. */
export const worst = (groups: ReadonlyArray<Group>, judgeOf: JudgeOf): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const hold = (what: string, value: number, bound: number) => {
    if (!(value <= bound)) faults.push(`${what} is ${share(value)}, and may be ${bound}`)
  }
  const dev = ofDev(groups)
  hold("the calibration error of best matches", calibrationError(bestOf(dev, judgeOf)), bounds.pooled)
  for (const [name, some] of bySet(dev)) hold(`that of ${name}`, calibrationError(bestOf(some, judgeOf)), bounds.set)
  for (const [name, best] of offTopicOf(groups, judgeOf)) hold(`the median of ${name}`, median(best), bounds.offTopic)
  return faults
}
