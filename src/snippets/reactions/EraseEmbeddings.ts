import { Effect } from "effect"
import { fresh } from "#engine/ask.ts"
import { eraseEmbedded } from "#projections/Snippets/embedded.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { reaction } from "#src/reaction.ts"

/**
 * What an embedding model made of a snippet's text goes with it, unless another one says the same; also where there is
 * no such model any more.
 */
export const EraseEmbeddings = reaction({
  name: "erase_embeddings",
  on: ["SnippetDeleted"],
  handle: ({ event }) =>
    Effect.gen(function* () {
      // whoever embeds asks the catalogue whether it is there
      yield* fresh(Snippets)
      yield* eraseEmbedded([event.snippet])
    })
})
