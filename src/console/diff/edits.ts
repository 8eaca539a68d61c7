/** The most edits that are looked for. The time grows with their square. */
const most = 600

export type Step = "same" | "removed" | "added"

/**
 * The steps from one list to another with the fewest edits (Myers' algorithm); `undefined`: there would be too many
 * edits.
 */
export const stepsBetween = (
  olds: ReadonlyArray<string>,
  news: ReadonlyArray<string>
): ReadonlyArray<Step> | undefined => {
  const [zero, end] = [most + 1, olds.length - news.length]
  /** How far each diagonal has come. A diagonal is how many more items of the old list than of the new one are read. */
  const reached = new Int32Array(2 * zero + 1)
  const rounds: Array<Int32Array> = []
  for (let edits = 0; edits <= most; edits++) {
    rounds.push(reached.slice(zero - edits - 1, zero + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const [left, right] = [reached[zero + diagonal - 1]!, reached[zero + diagonal + 1]!]
      let at = isAdded(diagonal, edits, left, right) ? right : left + 1
      while (at < olds.length && at - diagonal < news.length && olds[at] === news[at - diagonal]) at++
      reached[zero + diagonal] = at
      if (diagonal === end && at >= olds.length) return wayBack(rounds, olds.length, news.length)
    }
  }
  return undefined
}

const isAdded = (diagonal: number, edits: number, left: number, right: number): boolean =>
  diagonal === -edits || (diagonal !== edits && left < right)

const wayBack = (rounds: ReadonlyArray<Int32Array>, olds: number, news: number): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let [at, into] = [olds, news]
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const before = (diagonal: number) => rounds[edits]![diagonal + edits + 1]!
    const diagonal = at - into
    const added = isAdded(diagonal, edits, before(diagonal - 1), before(diagonal + 1))
    const from = diagonal + (added ? 1 : -1)
    const [first, second] = [before(from), before(from) - from]
    for (; at > first && into > second; at--, into--) steps.push("same")
    steps.push(added ? "added" : "removed")
    ;[at, into] = [first, second]
  }
  for (; at > 0; at--) steps.push("same")
  return steps.reverse()
}
