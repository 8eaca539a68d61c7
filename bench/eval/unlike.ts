import type { Judge } from "#domain/search/Judge.ts"

/** How far a weight that is fitted anew may be from the committed one: sums of numbers end a little differently. */
const far = 0.01

/** Weights of a committed judge that are not those of one that was fitted anew, in words. */
export const unlike = (name: string, committed: Judge, anew: Judge): ReadonlyArray<string> => {
  const weights = ({ features, backdrop, signs }: Judge): Readonly<Record<string, number>> => ({
    ...features,
    backdrop,
    ...Object.fromEntries(Object.entries(signs).map(([sign, weight]) => [`sign ${sign}`, weight]))
  })
  const [one, other] = [weights(committed), weights(anew)]
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((weight) => !(Math.abs((one[weight] ?? 0) - (other[weight] ?? 0)) <= far))
    .map(
      (weight) =>
        `ranker.ts: ${name}'s weight of ${weight} is ${one[weight] ?? "none"}, and --fit gives ${other[weight] ?? "none"}`
    )
}
