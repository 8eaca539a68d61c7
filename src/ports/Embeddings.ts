import { Context } from "effect"
import type { Encoder } from "#domain/search/embeddings/Encoder.ts"

/**
 * Makes vectors of texts, near each other when the texts mean the like: pure functions of a table that is read at
 * start.
 */
export class Embeddings extends Context.Service<Embeddings, Encoder>()("cairn/Embeddings") {}
