import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { Cursor, NextCursor } from "./cursor.ts"
import { optional, Stale, textUpTo, whole } from "./fields.ts"
import { AddressRate, Problems, WellFormed } from "./middleware.ts"

const PublicSnippet = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  source: Schema.String,
  language: Schema.String,
  entrypoint: Schema.String,
  thumbs_up: Schema.Int,
  thumbs_down: Schema.Int,
  /** ISO 8601. */
  created_at: Schema.String,
  /** Always `community`: the service does not tell whose the snippet is. */
  namespace: Schema.String
}).annotate({ identifier: "PublicSnippet" })

export const PublicList = Schema.Struct({
  snippets: Schema.Array(PublicSnippet),
  total: Schema.Int,
  has_more: Schema.Boolean,
  next_cursor: NextCursor
}).annotate({ identifier: "PublicListResponse" })

export const PublicFound = Schema.Struct({
  snippets: Schema.Array(PublicSnippet),
  total: Schema.Int,
  query: Schema.String,
  stale: Stale
}).annotate({ identifier: "PublicSearchResponse" })

const Language = textUpTo(100)

/** Routes of the public snippets. They need no key, and ignore one that is sent. */
export class PublicApi extends HttpApiGroup.make("public")
  .add(
    HttpApiEndpoint.post("listPublic", "/api/snippets/public/list", {
      payload: body(
        Schema.Struct({
          limit: optional(whole(1, 100)),
          offset: optional(whole(0, 10_000)),
          cursor: optional(Cursor),
          sort_by: optional(Schema.Literals(["upvoted", "recent"])),
          language: optional(Language)
        }).annotate({ identifier: "PublicListRequest" })
      ),
      success: PublicList
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Page through the public snippets",
        description:
          "Defaults: 20 at a time, those with the most votes for them first. To continue, send `next_cursor` as `cursor`: then no entry comes twice, whatever is stored or voted on meanwhile, and one that rises past the page while you read is skipped. `offset` counts from the current beginning. Needs no key."
      })
    ),
    HttpApiEndpoint.post("searchPublic", "/api/snippets/public/search", {
      payload: body(
        Schema.Struct({
          query: textUpTo(10_000),
          limit: optional(whole(1, 100)),
          language: optional(Language)
        }).annotate({ identifier: "PublicSearchRequest" })
      ),
      success: PublicFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Search the public snippets",
        description: "Best first; `limit` defaults to 20. `total` counts all that match. Needs no key."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(AddressRate)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Public", description: "Snippets that everyone may see." })) {}
