import type { Feature } from "./Features.ts"

/**
 * What tells how likely it is that a candidate answers the task: where it stands among the others, and how good the
 * best of them is.
 */
export const signs = [
  "strength",
  "lead",
  "share",
  "words",
  "meaning",
  "pieces",
  "covered",
  "toldPieces",
  "documents",
  "fewness",
  "one"
] as const
export type Sign = (typeof signs)[number]

/** Weights of features make a candidate's strength, weights of signs the logit of its probability. */
export interface Judge {
  readonly features: Readonly<Partial<Record<Feature, number>>>
  /** The strength of a snippet that has nothing to do with a task: stands for those that a small store lacks. */
  readonly backdrop: number
  readonly signs: Readonly<Partial<Record<Sign, number>>>
}
