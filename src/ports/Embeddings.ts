import { Context } from "effect"
import type { Encoder } from "#domain/search/embeddings/Encoder.ts"

/**
 * Makes vectors of texts, near each other if the texts have a similar meaning, by pure functions of a table that is
 * read at start.
 */
export class Embeddings extends Context.Service<Embeddings, Encoder>()("cairn/Embeddings") {}
