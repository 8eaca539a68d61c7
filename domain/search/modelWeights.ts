import { features } from "./Features.ts"
import { type Judge, signs } from "./Judge.ts"

/**
 * How matches are judged by the vectors of a model other than the table. Its cosines are scaled to the table's, for
 * which the bounds of what matches and of what is offered were found: `low` becomes 0, `high` becomes 1.
 */
export interface ModelWeights {
  readonly low: number
  readonly high: number
  /** How much the meaning counts against the words in the first stage, 0…1. */
  readonly meaning: number
  /** The judge of the second stage. */
  readonly judge: Judge
}

const finite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value has only known names, each with a finite number. */
const isTable = (value: unknown, names: ReadonlyArray<string>): boolean =>
  isObject(value) && Object.entries(value).every(([name, weight]) => names.includes(name) && finite(weight))

/** The weights that `npm run eval -- --fit` wrote for a model; `undefined` if they are not valid. */
export const modelWeightsIn = (given: unknown): ModelWeights | undefined => {
  if (!isObject(given)) return undefined
  const { low, high, meaning, judge } = given
  if (!finite(low) || !finite(high) || !finite(meaning) || !isObject(judge)) return undefined
  const isFine =
    low >= 0 &&
    low < high &&
    meaning >= 0 &&
    meaning <= 1 &&
    finite(judge["backdrop"]) &&
    isTable(judge["features"], features) &&
    isTable(judge["signs"], signs)
  return isFine ? { low, high, meaning, judge: judge as unknown as Judge } : undefined
}

/** A model's cosine on the table's scale; the table's own as it is. */
export const asTable = (cosine: number, model: { readonly weights: ModelWeights } | undefined): number =>
  model === undefined ? cosine : (cosine - model.weights.low) / (model.weights.high - model.weights.low)

/** The model's cosine that `asTable` turns into this one. */
export const ofModel = (cosine: number, model: { readonly weights: ModelWeights } | undefined): number =>
  model === undefined ? cosine : model.weights.low + cosine * (model.weights.high - model.weights.low)
