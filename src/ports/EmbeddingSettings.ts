import type { Redacted } from "effect"
import type { ModelWeights } from "#domain/search/modelWeights.ts"

/** Which embedding model there is, and how to ask it. */
export interface EmbeddingSettings {
  /** The base URL of its API, with `/v1`; `/embeddings` follows it. */
  readonly url: string
  readonly model: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly dimensions: number
  /** What comes before a text that is to be found, and before a query. */
  readonly prefixes: { readonly document: string; readonly query: string }
  /** How matches are judged by its vectors; `undefined`: as with the table's. */
  readonly weights: ModelWeights | undefined
}
