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
   * The share of the task's rareness, 0…1, whose words it has, or synonyms of them; words that no snippet has count,
   * too.
   */
  readonly covered: number
}
