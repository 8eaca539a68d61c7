import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { Cursor, NextCursor } from "./cursor.ts"
import { Id, PositionOrTime, textUpTo, toldPlace, wholeInQuery } from "./fields.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const AsOf = Schema.Struct({
  position: Schema.String,
  /** ISO 8601, as the other times. */
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

/** Read models as they were, at the operator's word: `/api/admin/as-of`. */
export class AsOfApi extends HttpApiGroup.make("asOf")
  .add(
    HttpApiEndpoint.get("asOfs", "/api/admin/as-of", { success: AsOfList }).annotateMerge(
      OpenApi.annotations({
        summary: "The read models as of positions of the log that are kept, and how far one is that is made",
        description:
          "For owners of the organization that the service made for its operator. Those that `cairn replay --as-of` has made are told, too, without a key and times."
      })
    ),
    HttpApiEndpoint.post("makeAsOf", "/api/admin/as-of", {
      payload: body(Schema.Struct({ at: PositionOrTime })),
      success: AsOf.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Make the read models as they were at a position or a time, beside those that are read",
        description:
          "As `cairn replay --as-of`. It goes on by itself, one at a time and none beside a replay: while one does, this is a 409 `conflict/replay_running`. Of one position there is one (409 `conflict/as_of_made`), and there are four at most (409 `conflict/as_of_full`). What was erased before is not in them; an erasure later removes all that were made before it."
      })
    ),
    HttpApiEndpoint.delete("dropAsOf", "/api/admin/as-of/:position", {
      params: { position: toldPlace },
      success: AsOfList
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Remove the read models as of a position",
        description: "Those that are still made are gone within a second. Nothing that is read changes."
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
        summary: "Rows of a table as it was, in the order of their ids",
        description:
          "Of all organizations. Each value is what the database writes for it, of a long one its first 500 characters and `…`. Hashes of keys and secrets are left out. At most 100 at a time, 50 unless `limit` says otherwise. Go on with `cursor` = `next_cursor`."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "As of", description: "Read models as they were." })) {}
