import type { Feature } from "./Features.ts"

/** How good the best of some candidates is, and what it is the best of. */
export const signsOfBest = [
  "words",
  "meaning",
  "pieces",
  "covered",
  "toldPieces",
  "documents",
  "fewness",
  "one"
] as const
export type SignOfBest = (typeof signsOfBest)[number]

/** What tells how likely it is that a candidate answers the task: where it stands among the others, and the best. */
export const signs = ["strength", "lead", "share", ...signsOfBest] as const
export type Sign = (typeof signs)[number]

/** Weights of features make a candidate's strength, weights of signs the logit of its probability. */
export interface Judge {
  readonly features: Readonly<Partial<Record<Feature, number>>>
  /** The strength of a snippet that has nothing to do with a task: stands for those that a small store lacks. */
  readonly backdrop: number
  readonly signs: Readonly<Partial<Record<Sign, number>>>
}
