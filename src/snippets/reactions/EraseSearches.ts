import { Effect } from "effect"
import { fresh } from "#engine/ask.ts"
import { hasReached, type Position } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Retrievals, type Searches, searchesDesertedBy, searchesDesertedFrom } from "#projections/Retrievals.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { reaction } from "#src/reaction.ts"
import { eraseSearches } from "#src/snippets/eraseSearches.ts"

/** Erases what is found, page by page. */
const eraseAll = Effect.fnUntraced(function* <E, R>(
  find: (after: Searches | undefined, most: number) => Effect.Effect<ReadonlyArray<Searches>, E, R>
) {
  const { count } = yield* Bounds
  let last: Searches | undefined
  do {
    const searches = yield* find(last, count)
    for (const group of Map.groupBy(searches, ({ stream }) => stream).values()) {
      const ids = group.map(({ id }) => id)
      yield* eraseSearches(group[0]!, "deleted", ids)
    }
    last = searches.length < count ? undefined : searches.at(-1)
  } while (last !== undefined)
})

/** Up to where notes of searches were looked through, by their store: one look takes many of them. */
const lookedTo = new WeakMap<object, Position>()

/**
 * Erases a search's text when the last of the snippets that it found is deleted. A search is noted a moment after it is
 * answered, and all that it found may be deleted by then, so each note is looked at too.
 */
export const EraseSearches = reaction({
  name: "erase_searches",
  on: ["SnippetDeleted", "SearchAnswered"],
  handle: ({ event, position }) =>
    Effect.gen(function* () {
      const models = yield* ReadModels
      const looked = lookedTo.get(models)
      if (event._tag === "SearchAnswered" && looked !== undefined && hasReached(looked, position)) return
      const [standing] = yield* Effect.all([fresh(Retrievals), fresh(Snippets)])
      if (event._tag === "SnippetDeleted")
        return yield* eraseAll((after, most) => searchesDesertedBy(event.snippet, after, most))
      yield* eraseAll((after, most) => searchesDesertedFrom(looked ?? position, after, most))
      lookedTo.set(models, standing.position)
    })
})
