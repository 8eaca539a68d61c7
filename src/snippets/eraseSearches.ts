import { Effect } from "effect"
import { mostErased, RetrievalEvent } from "#domain/Retrieval.ts"
import { derivedId } from "#engine/derivedId.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as Codec from "#src/codec.ts"

const operator = { key: null, user: null, organization: null }

/** Erases the texts of searches of one stream; the same again changes nothing. */
export const eraseSearches = Effect.fnUntraced(function* (
  { tenant, stream }: { readonly tenant: string; readonly stream: string },
  cause: "deleted" | "expired",
  all: ReadonlyArray<string>
) {
  const store = yield* EventStore
  for (let from = 0; from < all.length; from += mostErased) {
    const subjects = all.slice(from, from + mostErased)
    const commandId = derivedId("searches_erased", ...subjects)
    const event = RetrievalEvent.cases.SearchesErased.make({ cause, subjects })
    yield* store.append({
      tenant,
      stream,
      expected: "any",
      commands: [
        {
          commandId,
          correlationId: commandId,
          causationId: null,
          actor: operator,
          request: null,
          events: [Codec.encode(event)]
        }
      ]
    })
  }
})
