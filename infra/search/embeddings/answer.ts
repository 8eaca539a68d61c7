import { Option, Schema } from "effect"
import { hasDirection, toUnit, type Vector } from "#domain/search/embeddings/vector.ts"
import { parseJson } from "#engine/parseJson.ts"
import type { EmbeddingFailed } from "#ports/EmbeddingModel.ts"

const Answer = Schema.Struct({
  data: Schema.Array(Schema.Struct({ index: Schema.optionalKey(Schema.Int), embedding: Schema.Array(Schema.Unknown) }))
})

const decode = Schema.decodeUnknownOption(Answer)

type Fault = EmbeddingFailed["fault"]

const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const numbersOf = (embedding: ReadonlyArray<unknown>): Vector | undefined => {
  const vector = new Float32Array(embedding.length)
  for (const [at, number] of embedding.entries()) {
    if (typeof number !== "number") return undefined
    vector[at] = number
    // what is too great for 32 bits does not count as a number either
    if (!Number.isFinite(vector[at])) return undefined
  }
  return hasDirection(vector) ? toUnit(vector) : undefined
}

/** The vectors of `count` texts in an answer of `/v1/embeddings`, or what is wrong with the answer. */
export const vectorsIn = (text: string, count: number, dimensions: number): ReadonlyArray<Vector> | Fault => {
  const answer = Option.getOrUndefined(decode(parsed(text)))
  if (answer === undefined || answer.data.length !== count) return "malformed"
  const vectors = new Array<Vector | undefined>(count).fill(undefined)
  for (const [place, { index = place, embedding }] of answer.data.entries()) {
    if (index < 0 || index >= count || vectors[index] !== undefined) return "malformed"
    if (embedding.length !== dimensions) return "wrong-dimensions"
    const vector = numbersOf(embedding)
    if (vector === undefined) return "not-finite"
    vectors[index] = vector
  }
  return vectors as ReadonlyArray<Vector>
}
