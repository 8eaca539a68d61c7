import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { optional, textUpTo } from "./fields.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const Replay = Schema.Struct({
  read_model: Schema.String,
  promote: Schema.Boolean,
  state: Schema.Literals(["running", "done", "cancelled", "failed", "broken_off"]),
  position: Schema.NullOr(Schema.String),
  goal: Schema.NullOr(Schema.String),
  progress: Schema.NullOr(Schema.Finite),
  events: Schema.Int,
  differences: Schema.Array(Schema.Struct({ table: Schema.String, rows: Schema.Int })),
  fault: Schema.NullOr(Schema.String),
  key_id: Schema.String,
  /** ISO 8601. */
  started_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Replay" })

const ReplayList = Schema.Struct({ replays: Schema.Array(Replay) }).annotate({ identifier: "ReplayList" })

const ReadModelName = textUpTo(100)

/** Routes for the operator that rebuild read models and compare them: `/api/admin/replays`. */
export class ReplaysApi extends HttpApiGroup.make("replays")
  .add(
    HttpApiEndpoint.get("replays", "/api/admin/replays", { success: ReplayList }).annotateMerge(
      OpenApi.annotations({
        summary: "The last replay of each read model, and how far a running one is",
        description:
          "For owners of the organization that the service made for its operator. `differences` counts the rows in which the read model was not what the log says, at most 50; there should be none."
      })
    ),
    HttpApiEndpoint.post("replay", "/api/admin/replays", {
      payload: body(Schema.Struct({ read_model: ReadModelName, promote: optional(Schema.Boolean) })),
      success: Replay.pipe(HttpApiSchema.status(202))
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Rebuild a read model beside the live one, and compare the two",
        description:
          "Like `cairn replay --verify`; readers see nothing of it. With `promote`, the rebuild then takes the live one's place, whatever the differences. The replay goes on by itself, one at a time: while one runs, the answer is 409 `conflict/replay_running`."
      })
    ),
    HttpApiEndpoint.post("cancelReplay", "/api/admin/replays/cancel", {
      payload: body(Schema.Struct({ read_model: ReadModelName })),
      success: ReplayList
    }).annotateMerge(
      OpenApi.annotations({
        summary: "End a running replay",
        description: "The replay ends within a second, and the live read model stays as it is."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Replays", description: "Read models, rebuilt and compared." })) {}
