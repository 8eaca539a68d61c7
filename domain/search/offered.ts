/**
 * The least score of a snippet that is taken unseen: written into a workspace, and run. What is taken is offered too.
 * docs/decisions/0079 has what the development sets say of these numbers, and `bench/search.ts offers` prints it.
 */
export const leastTaken = 0.6

/**
 * With a lower score a snippet is offered only with at least this cosine with the task, and this score. Of several that
 * do about the same, none is likely to be the right one, but each is worth a look.
 */
const leastMeaning = 0.67
const leastScoreBeside = 0.05

/** The least verdict that is offered: no more votes against than for. */
export const leastVerdictOffered = 0.5

/**
 * Whether a match is near enough to its task to be offered to an agent as code for it. A search also answers with
 * matches that are not.
 */
export const isNear = ({ score, vector }: { readonly score: number; readonly vector: number }): boolean =>
  score >= leastTaken || (score >= leastScoreBeside && vector >= leastMeaning)
