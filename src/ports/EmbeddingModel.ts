import { Context, type Effect, Schema } from "effect"
import type { Vector } from "#domain/search/embeddings/vector.ts"

/** What went wrong with an embedding model. */
const embeddingFaults = [
  "unreachable",
  "late",
  "refused",
  "redirected",
  "malformed",
  "too-large",
  "wrong-dimensions",
  "not-finite"
] as const

/** A model made no vectors, or none of use. The error holds nothing of what was to be embedded. */
export class EmbeddingFailed extends Schema.TaggedError<EmbeddingFailed>()("EmbeddingFailed", {
  fault: Schema.Literals(embeddingFaults),
  /** For the service's log. */
  told: Schema.String,
  /** Whether the same request may work in a moment. */
  passes: Schema.Boolean,
  /** Whether the texts may be the cause: one may be too long for the model. */
  byTexts: Schema.Boolean,
  /** Milliseconds for which the model wants to be left alone. */
  pause: Schema.optionalKey(Schema.Finite)
}) {}

/**
 * Makes vectors of texts, near each other if the texts have a similar meaning: one per text, in their order, each of
 * length 1. The model may be far, slow, or away; what must not wait for it uses the table (`Embeddings`).
 */
export class EmbeddingModel extends Context.Service<
  EmbeddingModel,
  {
    /** A name for all that its vectors depend on: vectors under another name can't be compared with these. */
    readonly name: string
    readonly dimensions: number
    /** For texts that are to be found. Takes the time that it needs, and retries what may pass. */
    readonly documents: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Vector>, EmbeddingFailed>
    /** For queries. Tries once, because somebody waits. */
    readonly queries: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Vector>, EmbeddingFailed>
  }
>()("cairn/EmbeddingModel") {}
