import { Context, type Effect, Schema } from "effect"
import type { Vector } from "#domain/search/embeddings/vector.ts"

/** What went wrong with an embedding model. */
export const embeddingFaults = [
  "unreachable",
  "late",
  "refused",
  "redirected",
  "malformed",
  "too-large",
  "wrong-dimensions",
  "not-finite"
] as const

/** A model made no vectors, and none that it may have made is of use. Nothing of what was embedded stands in it. */
export class EmbeddingFailed extends Schema.TaggedError<EmbeddingFailed>()("EmbeddingFailed", {
  fault: Schema.Literals(embeddingFaults),
  /** For the service's log. */
  told: Schema.String,
  /** Whether the same may work in a moment. */
  passes: Schema.Boolean,
  /** Whether it may be these texts that it can't take: one is too long for it. */
  byTexts: Schema.Boolean,
  /** Milliseconds that it wants to be left alone. */
  pause: Schema.optionalKey(Schema.Finite)
}) {}

/**
 * Makes vectors of texts, near each other when the texts mean the like: one a text, in their order, each of length 1.
 * It may be far, slow, or away; what must not wait for it goes by the table (`Embeddings`).
 */
export class EmbeddingModel extends Context.Service<
  EmbeddingModel,
  {
    /** Of all that its vectors depend on: vectors under another name have nothing to do with these. */
    readonly name: string
    readonly dimensions: number
    /** Of what is to be found; takes the time that it takes, and tries again what may pass. */
    readonly documents: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Vector>, EmbeddingFailed>
    /** Of what is asked: tried once, since somebody waits. */
    readonly queries: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Vector>, EmbeddingFailed>
  }
>()("cairn/EmbeddingModel") {}
