import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { time } from "./fields.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const Hour = Schema.Struct({
  /** ISO 8601. */
  at: Schema.String,
  searches: Schema.Int,
  uploads: Schema.Int,
  votes_for: Schema.Int,
  votes_against: Schema.Int,
  executions: Schema.Int,
  comments: Schema.Int,
  chats: Schema.Int,
  chats_failed: Schema.Int
}).annotate({ identifier: "ActivityHour" })

/** How much happens in an organization: `/api/activity`. */
export class ActivityApi extends HttpApiGroup.make("activity")
  .add(
    HttpApiEndpoint.get("activity", "/api/activity", {
      query: Schema.Struct({ since: Schema.optional(time), until: Schema.optional(time) }),
      success: Schema.Struct({
        since: Schema.String,
        until: Schema.String,
        hours: Schema.Array(Hour),
        pending_gradings: Schema.Int
      })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "How much happened in the organization, hour by hour",
        description:
          "For owners and admins. Hours in which nothing happened are left out. Default: the last day; at most 32 days."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Activity", description: "How much happens." })) {}
