import { Effect } from "effect"
import type { ExecutionEvent } from "#domain/Execution.ts"
import type { PrintedEvent } from "#domain/Printed.ts"
import { mostErased, RetrievalEvent } from "#domain/Retrieval.ts"
import { derivedId } from "#engine/derivedId.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { operator } from "#src/actor.ts"
import * as Codec from "#src/codec.ts"

interface NotedStream {
  readonly tenant: string
  readonly stream: string
}

/** Appends an event by which the service itself erases, to a stream on which nothing is decided. */
export const noteErased = Effect.fnUntraced(function* (
  { tenant, stream }: NotedStream,
  commandId: string,
  event: RetrievalEvent | ExecutionEvent | PrintedEvent
) {
  const store = yield* EventStore
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
})

/** Erases the texts of these searches of one stream. Repeating it changes nothing. */
export const eraseSearches = Effect.fnUntraced(function* (
  stream: NotedStream,
  cause: "deleted" | "expired",
  all: ReadonlyArray<string>
) {
  for (let from = 0; from < all.length; from += mostErased) {
    const subjects = all.slice(from, from + mostErased)
    const event = RetrievalEvent.cases.SearchesErased.make({ cause, subjects })
    yield* noteErased(stream, derivedId("searches_erased", ...subjects), event)
  }
})
