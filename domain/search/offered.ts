/**
 * The least score that is taken without anybody looking: written into a workspace, and run. What is taken is offered
 * too.
 */
export const leastTaken = 0.7

/**
 * The least cosine with the task, and the least score beside it, of what is offered with a lower score. Scores are not
 * calibrated: docs/decisions/0038 has what the development sets say of these numbers, and `bench/search.ts offers`
 * prints it.
 */
export const leastMeaning = 0.67
/** A task that could hardly be read is near to much by the little of it that could: its score knows. */
export const leastScoreBeside = 0.5

/** The least verdict that is offered: no more votes against than for. */
export const leastVerdictOffered = 0.5

/**
 * Whether a match is near enough to its task to be offered to an agent as code for it. A search answers with what is
 * not, too.
 */
export const isNear = ({ score, vector }: { readonly score: number; readonly vector: number }): boolean =>
  score >= leastTaken || (score >= leastScoreBeside && vector >= leastMeaning)
