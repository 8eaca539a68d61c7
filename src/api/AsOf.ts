import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { Cursor, NextCursor } from "./cursor.ts"
import { Id, PositionOrTime, textUpTo, toldPlace, wholeInQuery } from "./fields.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const AsOf = Schema.Struct({
  position: Schema.String,
  /** ISO 8601, like the other times. */
  recorded_at: Schema.NullOr(Schema.String),
  state: Schema.Literals(["making", "made", "failed", "broken_off"]),
  progress: Schema.Finite,
  tables: Schema.Array(
    Schema.Struct({ name: Schema.String, rows: Schema.Int, bytes: Schema.Int }).annotate({ identifier: "AsOfTable" })
  ),
  fault: Schema.NullOr(Schema.String),
  key_id: Schema.NullOr(Schema.String),
  started_at: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AsOf" })

const AsOfList = Schema.Struct({ as_of: Schema.Array(AsOf), most: Schema.Int }).annotate({ identifier: "AsOfList" })

const AsOfRows = Schema.Struct({
  columns: Schema.Array(Schema.String),
  rows: Schema.Array(Schema.Array(Schema.NullOr(Schema.String))),
  next_cursor: NextCursor
}).annotate({ identifier: "AsOfRows" })

/** Routes for the operator that make and show read models as they were: `/api/admin/as-of`. */
export class AsOfApi extends HttpApiGroup.make("asOf")
  .add(
    HttpApiEndpoint.get("asOfs", "/api/admin/as-of", { success: AsOfList }).annotateMerge(
      OpenApi.annotations({
        summary: "The kept read models as of earlier positions of the log, and the progress of any being made",
        description:
          "For owners of the organization that the service made for its operator. The list includes read models that `cairn replay --as-of` made, without a key and times."
      })
    ),
    HttpApiEndpoint.post("makeAsOf", "/api/admin/as-of", {
      payload: body(Schema.Struct({ at: PositionOrTime })),
      success: AsOf.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Make the read models as of a position or a time, beside the live ones",
        description:
          "Like `cairn replay --as-of`. The work goes on by itself, one at a time and not beside a replay: while either runs, the answer is 409 `conflict/replay_running`. Each position is made once (409 `conflict/as_of_made`), and at most four are kept (409 `conflict/as_of_full`). What was erased before is not in them; a later erasure removes all that were made before it."
      })
    ),
    HttpApiEndpoint.delete("dropAsOf", "/api/admin/as-of/:position", {
      params: { position: toldPlace },
      success: AsOfList
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Remove the read models as of a position",
        description: "If they are still being made, they are gone within a second. The live read models do not change."
      })
    ),
    HttpApiEndpoint.get("asOfRows", "/api/admin/as-of/:position/:table", {
      params: { position: toldPlace, table: textUpTo(100) },
      query: Schema.Struct({
        id: Schema.optional(Id),
        cursor: Schema.optional(Cursor),
        limit: wholeInQuery(1, 1000)
      }),
      success: AsOfRows
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Rows of a table as of a position, in the order of their ids",
        description:
          "Rows of all organizations. Each value is as the database writes it, a long one cut to its first 500 characters and `…`. Hashes of keys and secrets are left out. `limit` defaults to 50; a page has at most 100. To continue, send `next_cursor` as `cursor`."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "As of", description: "Read models as they were." })) {}
