import { features } from "./Features.ts"
import { type Judge, signs } from "./Judge.ts"

/**
 * How matches are judged by the vectors of a model other than the table. Its cosines are taken for the table's, for
 * which the bounds of what matches and of what is offered were found: `low` for 0, `high` for 1.
 */
export interface ModelWeights {
  readonly low: number
  readonly high: number
  /** What the meaning counts beside the words in the first stage, 0…1. */
  readonly meaning: number
  /** Of the second stage. */
  readonly judge: Judge
}

const finite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Numbers by names that are known. */
const isTable = (value: unknown, names: ReadonlyArray<string>): boolean =>
  isObject(value) && Object.entries(value).every(([name, weight]) => names.includes(name) && finite(weight))

/** The weights that `npm run eval -- --fit` wrote for a model; `undefined`: these are none. */
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

/** A model's cosine as the table would have it; the table's as it is. */
export const asTable = (cosine: number, model: { readonly weights: ModelWeights } | undefined): number =>
  model === undefined ? cosine : (cosine - model.weights.low) / (model.weights.high - model.weights.low)

/** The model's cosine that is taken for one of the table's. */
export const ofModel = (cosine: number, model: { readonly weights: ModelWeights } | undefined): number =>
  model === undefined ? cosine : model.weights.low + cosine * (model.weights.high - model.weights.low)
