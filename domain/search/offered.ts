/**
 * The least score that is offered to an agent as code for its task. Scores are not calibrated: docs/decisions/0030 has what the
 * development sets say of it, and `bench/search.ts offers` prints it.
 */
export const leastOffered = 0.65

/** The least score that is taken without anybody looking: written into a workspace, and run. */
export const leastTaken = 0.7

/** The least verdict that is offered: no more votes against than for. */
export const leastVerdictOffered = 0.5

/** Whether a match is worth offering. A search answers with what is not, too. */
export const isOffered = (match: {
  readonly score: number
  readonly thumbs_up: number
  readonly thumbs_down: number
}): boolean => match.score >= leastOffered && match.thumbs_down <= match.thumbs_up
