import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** US dollars for a million tokens. */
export interface ModelPrices {
  /** Tokens that the model reads. */
  readonly input: number
  /** Tokens that it writes. */
  readonly output: number
  /** Tokens that the provider had in its prompt cache. */
  readonly cacheRead: number
  /** Tokens that it put there. */
  readonly cacheWrite: number
}

/** A model that a chat may ask for. */
export interface ChatModel {
  /** What a chat asks for it by. */
  readonly name: string
  /** The full id that its provider knows it by. */
  readonly model: string
  /** The API that it is asked by; `local` is no language model. */
  readonly provider: string
  /** `null`: the service was told none. */
  readonly prices: ModelPrices | null
}

/** What `models` gives. */
export interface ModelList extends Result {
  /** The names in the order in which the service was given them, and `local`. */
  readonly models: ReadonlyArray<ChatModel>
  /** Whether a chat may ask for any other model, by its full id. */
  readonly fullIds: boolean
}

interface ModelsWire {
  readonly models: ReadonlyArray<{
    readonly name: string
    readonly model: string
    readonly provider: string
    readonly prices: {
      readonly input: number
      readonly output: number
      readonly cache_read: number
      readonly cache_write: number
    } | null
  }>
  readonly full_ids: boolean
}

export const models: Call<ModelList> = {
  method: "GET",
  path: "/api/models",
  answer: json(({ models, full_ids }: ModelsWire) => ({
    models: models.map(({ name, model, provider, prices }) => ({
      name,
      model,
      provider,
      prices: prices && {
        input: prices.input,
        output: prices.output,
        cacheRead: prices.cache_read,
        cacheWrite: prices.cache_write
      }
    })),
    fullIds: full_ids
  }))
}
