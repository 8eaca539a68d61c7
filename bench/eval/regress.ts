/** Solves a system of linear equations, whose matrix is symmetric and positive, by Gauss with pivots. */
const solved = (matrix: ReadonlyArray<ReadonlyArray<number>>, right: ReadonlyArray<number>): Array<number> => {
  const rows = matrix.map((row, at) => [...row, right[at]!])
  const size = rows.length
  for (let at = 0; at < size; at++) {
    let pivot = at
    for (let other = at + 1; other < size; other++)
      if (Math.abs(rows[other]![at]!) > Math.abs(rows[pivot]![at]!)) pivot = other
    ;[rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!]
    for (let other = at + 1; other < size; other++) {
      const factor = rows[other]![at]! / rows[at]![at]!
      for (let place = at; place <= size; place++) rows[other]![place]! -= factor * rows[at]![place]!
    }
  }
  const values = Array.from({ length: size }, () => 0)
  for (let at = size - 1; at >= 0; at--) {
    let sum = rows[at]![size]!
    for (let other = at + 1; other < size; other++) sum -= rows[at]![other]! * values[other]!
    values[at] = sum / rows[at]![at]!
  }
  return values
}

const dot = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  return sum
}

/** Some of which one is right. */
export interface Choice {
  readonly rows: ReadonlyArray<ReadonlyArray<number>>
  readonly right: number
  readonly weight: number
}

export interface Trial {
  readonly row: ReadonlyArray<number>
  readonly right: boolean
  readonly weight: number
}

type Step = (weights: ReadonlyArray<number>) => {
  readonly slope: Array<number>
  readonly curve: Array<Array<number>>
}

/** Newton's method, with a penalty on the squares; what weighs the whole data is 1. */
const newton = (size: number, penalty: ReadonlyArray<number>, step: Step): Array<number> => {
  let weights = Array.from({ length: size }, () => 0)
  for (let round = 0; round < 60; round++) {
    const { slope, curve } = step(weights)
    for (let at = 0; at < size; at++) {
      slope[at]! -= penalty[at]! * weights[at]!
      curve[at]![at]! += penalty[at]! + 1e-9
    }
    const move = solved(curve, slope)
    // far from the top a whole step leads too far
    const longest = Math.max(...move.map(Math.abs))
    const share = Math.min(1, 5 / longest)
    weights = weights.map((weight, at) => weight + share * move[at]!)
    if (longest < 1e-9) break
  }
  return weights
}

const nothing = (size: number) => ({
  slope: Array.from({ length: size }, () => 0),
  curve: Array.from({ length: size }, () => Array.from({ length: size }, () => 0))
})

/** Weights by which the right one of each choice is most likely to have the highest sum. */
export const fitChoices = (choices: ReadonlyArray<Choice>, size: number, penalty: number): Array<number> => {
  const all = choices.reduce((sum, { weight }) => sum + weight, 0)
  const penalties = Array.from({ length: size }, () => penalty)
  return newton(size, penalties, (weights) => {
    const { slope, curve } = nothing(size)
    for (const { rows, right, weight } of choices) {
      const sums = rows.map((row) => dot(row, weights))
      const most = Math.max(...sums)
      const odds = sums.map((sum) => Math.exp(sum - most))
      const total = odds.reduce((sum, one) => sum + one, 0)
      const share = weight / all
      const mean = Array.from({ length: size }, () => 0)
      for (const [place, row] of rows.entries()) {
        const chance = odds[place]! / total
        for (let at = 0; at < size; at++) {
          mean[at]! += chance * row[at]!
          for (let other = 0; other < size; other++) curve[at]![other]! += share * chance * row[at]! * row[other]!
        }
      }
      for (let at = 0; at < size; at++) {
        slope[at]! += share * (rows[right]![at]! - mean[at]!)
        for (let other = 0; other < size; other++) curve[at]![other]! -= share * mean[at]! * mean[other]!
      }
    }
    return { slope, curve }
  })
}

/** Weights by which the logistic of each trial's sum is nearest to what came of it. */
export const fitTrials = (trials: ReadonlyArray<Trial>, penalty: ReadonlyArray<number>): Array<number> => {
  const all = trials.reduce((sum, { weight }) => sum + weight, 0)
  const size = penalty.length
  return newton(size, penalty, (weights) => {
    const { slope, curve } = nothing(size)
    for (const { row, right, weight } of trials) {
      const chance = 1 / (1 + Math.exp(-dot(row, weights)))
      const share = weight / all
      for (let at = 0; at < size; at++) {
        slope[at]! += share * ((right ? 1 : 0) - chance) * row[at]!
        for (let other = 0; other < size; other++)
          curve[at]![other]! += share * chance * (1 - chance) * row[at]! * row[other]!
      }
    }
    return { slope, curve }
  })
}
