import type { Feature, Features } from "#domain/search/Features.ts"
import type { Judge, Sign } from "#domain/search/Judge.ts"
import { signsOf, strengthOf } from "#domain/search/probability.ts"
import { median } from "../report.ts"
import type { Group } from "./groups.ts"
import { type Choice, fitChoices, fitTrials, type Trial } from "./regress.ts"

/**
 * What all queries of a source weigh together. mbpp has most of the queries and is told from the others by nothing
 * else; the docstrings are how programmers write, and not how tasks are.
 */
const masses: Readonly<Record<string, number>> = { mbpp: 3, agent30: 1, standard: 0.7, others: 0.7 }
export const sources = Object.keys(masses)

/**
 * For probabilities mbpp has less to say, and there are stores of a few snippets, in half of which the right one is
 * not, and tasks that none does.
 */
const otherMasses: Readonly<Record<string, number>> = { mbpp: 2, agent30: 1.5, small: 0.5, off: 0.4 }

/** For strengths also descriptions that are asked for as they stand. */
const toldMass = 0.1

const penalties = { features: 1e-4, signs: 1e-4 }

/** Matches of a query whose probabilities count, and what the best of them weighs beside the others. */
const shown = 10
const bestWeighs = 5

const weightsBySource = (groups: ReadonlyArray<Group>, mass: Readonly<Record<string, number>>) => {
  const counts = new Map<string, number>()
  for (const { source } of groups) counts.set(source, (counts.get(source) ?? 0) + 1)
  return ({ source }: Group): number => (mass[source] ?? 0) / counts.get(source)!
}

const rowOf = <A extends string>(names: ReadonlyArray<A>, of: Readonly<Record<A, number>>) =>
  names.map((name) => of[name])

const choicesOf = (groups: ReadonlyArray<Group>, names: ReadonlyArray<Feature>): ReadonlyArray<Choice> => {
  const both = groups.filter(
    ({ candidates }) => candidates.some(({ right }) => right) && candidates.some(({ right }) => !right)
  )
  const weigh = weightsBySource(both, { ...masses, told: toldMass })
  return both.flatMap((group): Array<Choice> => {
    const rows = (right: boolean) =>
      group.candidates.filter((one) => one.right === right).map(({ features }) => rowOf(names, features))
    const right = rows(true)
    const wrong = rows(false)
    return right.map((row) => ({ rows: [row, ...wrong], right: 0, weight: weigh(group) / right.length }))
  })
}

/** A group's candidates as a judge orders them. */
export const judged = (judge: Judge, { candidates, documents }: Group) => {
  const signs = signsOf(
    judge,
    candidates.map(({ features }) => features),
    documents
  )
  return candidates
    .map((candidate, at) => ({ ...candidate, signs: signs[at]! }))
    .sort((one, other) => other.signs.strength - one.signs.strength || (one.id < other.id ? -1 : 1))
}

const trialsOf = (groups: ReadonlyArray<Group>, judge: Judge, names: ReadonlyArray<Sign>): ReadonlyArray<Trial> => {
  const some = groups.filter(({ candidates }) => candidates.length > 0)
  const weigh = weightsBySource(some, { ...masses, ...otherMasses })
  return some.flatMap((group) =>
    judged(judge, group)
      .slice(0, shown)
      .map(({ signs, right }, place) => ({
        row: rowOf(names, signs),
        right,
        weight: weigh(group) * (place === 0 ? bestWeighs : 1)
      }))
  )
}

const rounded = <A extends string>(names: ReadonlyArray<A>, values: ReadonlyArray<number>) =>
  Object.fromEntries(names.map((name, at) => [name, Number(values[at]!.toFixed(4))])) as Partial<Record<A, number>>

/** What a judge goes by. */
export interface Sight {
  readonly features: ReadonlyArray<Feature>
  readonly signs: ReadonlyArray<Sign>
}

/** A judge of these groups, as it is written down. */
export const fitJudge = (groups: ReadonlyArray<Group>, sight: Sight): Judge => {
  const known = groups.filter(({ source }) => source in masses || source in otherMasses || source === "told")
  const choices = choicesOf(
    known.filter(({ source }) => source in masses || source === "told"),
    sight.features
  )
  const features = rounded(sight.features, fitChoices(choices, sight.features.length, penalties.features))
  const unfit = { features, backdrop: 0, signs: {} }
  const wrong = known
    .filter(({ source }) => source === "small")
    .flatMap(({ candidates }) => candidates.filter(({ right }) => !right))
  const backdrop = Number(median(wrong.map(({ features }) => strengthOf(unfit, features as Features))).toFixed(4))
  const trials = trialsOf(
    known.filter(({ source }) => source !== "told"),
    { ...unfit, backdrop },
    sight.signs
  )
  const penalty = sight.signs.map((sign) => (sign === "one" ? 0 : penalties.signs))
  return { features, backdrop, signs: rounded(sight.signs, fitTrials(trials, penalty)) }
}
