import { Schema } from "effect"

/** A file of this installation can't be used. `message` is one line for the operator, and names it. */
export class EmbeddingTableUnusable extends Schema.TaggedError<EmbeddingTableUnusable>()("EmbeddingTableUnusable", {
  message: Schema.String
}) {}
