import type { Redacted } from "effect"
import type { ModelWeights } from "#domain/search/modelWeights.ts"

/** Which embedding model there is, and how it is asked. */
export interface EmbeddingSettings {
  /** Of its API, with `/v1`: `/embeddings` comes behind it. */
  readonly url: string
  readonly model: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly dimensions: number
  /** What stands before a text that is to be found, and before one that is asked. */
  readonly prefixes: { readonly document: string; readonly query: string }
  /** How matches are judged by its vectors; `undefined`: as by the table's. */
  readonly weights: ModelWeights | undefined
}
