/** How likely something was said to be right, and whether it was. */
export interface Said {
  readonly probability: number
  readonly right: boolean
}

/** Bins of one width each. Few queries leave too few in each of ten: then chance alone is what is measured. */
const binsFor = (count: number): number => (count >= 100 ? 10 : 4)

/** The mean distance between what was said and what was so, by bins of what was said, each by what lies in it: 0…1. */
export const calibrationError = (all: ReadonlyArray<Said>, bins = binsFor(all.length)): number => {
  const sums = Array.from({ length: bins }, () => 0)
  for (const { probability, right } of all)
    sums[Math.min(bins - 1, Math.floor(probability * bins))]! += probability - (right ? 1 : 0)
  return sums.reduce((sum, one) => sum + Math.abs(one), 0) / all.length
}

/** The share of pairs of a right and a wrong one in which the right one was said to be likelier. */
export const area = (all: ReadonlyArray<Said>): number => {
  const [right, wrong] = [all.filter((one) => one.right), all.filter((one) => !one.right)]
  let sum = 0
  for (const one of right)
    for (const other of wrong)
      sum += one.probability > other.probability ? 1 : one.probability === other.probability ? 0.5 : 0
  return sum / (right.length * wrong.length)
}

/** Of what was said to be at least so likely, how much was right, and how many there were. */
export const precision = (all: ReadonlyArray<Said>, least: number) => {
  const some = all.filter(({ probability }) => probability >= least)
  return { right: some.filter(({ right }) => right).length / some.length, count: some.length }
}
