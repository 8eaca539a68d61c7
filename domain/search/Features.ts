/** What a candidate is judged by, in the order of every table of weights. */
export const features = [
  "words",
  "meaning",
  "pieces",
  "rarePieces",
  "squaredPieces",
  "hub",
  "length",
  "toldPieces",
  "name"
] as const
export type Feature = (typeof features)[number]

export interface Features extends Readonly<Record<Feature, number>> {
  /**
   * The share, 0…1, of the task's words that it has, or has a synonym of, weighed by rareness. Words that no snippet
   * has count too.
   */
  readonly covered: number
}
