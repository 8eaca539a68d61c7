import type { Feature } from "./Features.ts"

/** Signs of how good the best candidate is, and of what it is the best of. */
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

/** Signs of how likely a candidate is to answer the task: its place among the others, and how good the best is. */
export const signs = ["strength", "lead", "share", ...signsOfBest] as const
export type Sign = (typeof signs)[number]

/** Weights of features give a candidate's strength; weights of signs give the logit of its probability. */
export interface Judge {
  readonly features: Readonly<Partial<Record<Feature, number>>>
  /** The strength of a snippet that has nothing to do with a task. It stands for those that a small store lacks. */
  readonly backdrop: number
  readonly signs: Readonly<Partial<Record<Sign, number>>>
}
