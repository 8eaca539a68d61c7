import { Effect, Schema } from "effect"
import type { RetrievalEvent } from "#domain/Retrieval.ts"
import { Unreadable } from "#engine/ask.ts"
import { beginning, positionOf } from "#engine/Position.ts"
import { decodeAll } from "#engine/pages.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Retrievals, type SearchesFor, searchesFor } from "#projections/Retrievals.ts"
import { knownSnippet } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { cursors, placePosition } from "#src/api/cursor.ts"
import { Caller } from "#src/api/middleware.ts"
import type { Retrieval } from "#src/api/Snippets.ts"
import { placesIn, positionWriter } from "#src/positions.ts"
import { freshOrStale } from "../answer.ts"
import { noSnippet, snippetIn } from "./snippetIn.ts"

const places = cursors<readonly [position: number]>(Schema.Tuple([placePosition]))

/** The first search of a row, read from the log; `undefined`: the log does not have it any more. */
const asLogged = Effect.fnUntraced(function* (tenant: string, { stream, position, up, down }: SearchesFor) {
  const store = yield* EventStore
  const tell = yield* positionWriter
  const at = positionOf(position)
  const [before = beginning] = yield* store.newest({ tenant, stream, before: at, limit: 1 })
  const { events } = yield* store.readAll(before, { tenant, stream, limit: 1 })
  const [found] = yield* decodeAll<RetrievalEvent>(events)
  if (found?.position !== at || found.event._tag !== "SearchAnswered") return undefined
  return {
    position: tell(found.position),
    retrieved_at: new Date(found.recordedAt).toISOString(),
    task: found.event.text?.query ?? null,
    found: found.event.snippets.length,
    thumbs_up: up,
    thumbs_down: down
  } satisfies typeof Retrieval.Type
})

/** The most rows on a page: each is read from the log. */
const mostTold = 100

/** A page of the searches of the caller's organization that found a snippet, the latest first. */
export const retrievals = Effect.fnUntraced(function* (
  given: string,
  { limit = 20, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined }
) {
  const { tenant } = yield* Caller
  const id = yield* snippetIn(given)
  yield* Effect.all([freshOrStale(Retrievals), freshOrStale(Snippets)], { concurrency: 2, discard: true })
  // knowing where a snippet lives does not mean that it is still there
  if ((yield* Effect.orDie(knownSnippet(id))) === undefined) return yield* noSnippet
  const asked = ["retrievals", tenant, id, ...(yield* placesIn)]
  const [before] = (yield* places.read(asked, cursor)) ?? [null]
  const told = Math.min(limit, mostTold)
  const rows = yield* Effect.orDie(searchesFor(tenant, id, before, told + 1))
  const page = rows.slice(0, told)
  const shown = yield* Effect.mapError(
    Effect.forEach(page, (row) => asLogged(tenant, row)),
    () => new Unreadable()
  )
  return {
    retrievals: shown.filter((one) => one !== undefined),
    next_cursor: rows.length > told ? places.write(asked, [Number(page.at(-1)!.position)]) : null
  }
})
