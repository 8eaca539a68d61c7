import { Effect } from "effect"
import { fresh } from "#engine/ask.ts"
import { eraseEmbedded } from "#projections/Snippets/embedded.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { reaction } from "#src/reaction.ts"

/**
 * Erases what embedding models made of a deleted snippet's text, unless another snippet says the same; also if no such
 * model is used any more.
 */
export const EraseEmbeddings = reaction({
  name: "erase_embeddings",
  on: ["SnippetDeleted"],
  handle: ({ event }) =>
    Effect.gen(function* () {
      // embedding asks the catalogue whether the snippet is there
      yield* fresh(Snippets)
      yield* eraseEmbedded([event.snippet])
    })
})
