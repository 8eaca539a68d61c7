import { Effect, Schema } from "effect"
import { commentsByIds, type PlacedComment, placedComments } from "#projections/Comments.ts"
import { knownSnippet } from "#projections/Snippets/queries.ts"
import { Snippets, schema } from "#projections/Snippets/tables.ts"
import { cursors, placePosition } from "#src/api/cursor.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { slight } from "#src/portions.ts"
import { placesIn } from "#src/positions.ts"
import { freshOrStale } from "../answer.ts"
import { noSnippet, snippetIn } from "../Snippets/snippetIn.ts"
import { seenBy, toldTo } from "./shown.ts"

const places = cursors<readonly [position: number]>(Schema.Tuple([placePosition]))

/** The most comments on a page. */
const mostTold = 100

/** The first comments: at most `limit`, and so few bytes (`slight`) that they need no room; at least one. */
const pageOf = <C extends PlacedComment>(comments: ReadonlyArray<C>, limit: number): ReadonlyArray<C> => {
  let bytes = 0
  const end = comments.findIndex((comment, index) => {
    bytes += comment.bytes
    return index >= limit || (index > 0 && bytes > slight)
  })
  return end === -1 ? comments : comments.slice(0, end)
}

/** A page of the comments on a snippet that the caller sees, the latest first. */
export const listComments = Effect.fnUntraced(function* (
  given: string,
  { limit = 20, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined }
) {
  const { tenant } = yield* Caller
  const { homes, includePublic } = yield* CallerScope
  const id = yield* snippetIn(given)
  yield* freshOrStale(Snippets)
  // knowing where a snippet lives does not mean that it is still there
  const known = yield* Effect.orDie(knownSnippet(id))
  if (known === undefined) return yield* noSnippet
  const asked = ["comments", tenant, homes, includePublic, id, ...(yield* placesIn)]
  const [before] = (yield* places.read(asked, cursor)) ?? [null]
  const placed = yield* Effect.orDie(placedComments(schema, id))
  const behind = before === null ? placed : placed.filter(({ position }) => position < before)
  const onlooker = { tenant, homes, includePublic }
  const visible = seenBy(onlooker, known.tenant, behind)
  const page = pageOf(visible, Math.min(limit, mostTold))
  const read = yield* Effect.orDie(
    commentsByIds(
      schema,
      page.map(({ id }) => id)
    )
  )
  return {
    comments: yield* toldTo(tenant, seenBy(onlooker, known.tenant, read)),
    next_cursor: page.length < visible.length ? places.write(asked, [page.at(-1)!.position]) : null
  }
})
