import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Remembering } from "#domain/Chat.ts"
import { ChatFailure } from "#domain/Workspace/events.ts"
import { ChatResponse } from "./Chat.ts"
import { NextCursor, pageQuery } from "./cursor.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const RunState = Schema.Literals(["waiting", "running", "cancelling", "completed", "failed", "cancelled"]).annotate({
  identifier: "RunState"
})

const facts = {
  run_id: Schema.String,
  workspace_id: Schema.String,
  state: RunState,
  failure: Schema.NullOr(ChatFailure),
  model: Schema.String,
  turns: Schema.Int,
  max_turns: Schema.Int,
  requested_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String)
}

/** How a run is remembered. */
export const RunMemory = Schema.Literals(["pending", ...Remembering.literals, "none"]).annotate({
  identifier: "RunMemory"
})

/** A run as a list has it. */
export const ListedRun = Schema.Struct({ ...facts, task: Schema.String }).annotate({ identifier: "ListedRun" })

const id = { id: Schema.String }

/** Routes of runs: how they go, and to cancel one. */
export class RunsApi extends HttpApiGroup.make("runs")
  .add(
    HttpApiEndpoint.get("run", "/api/runs/:id", {
      params: id,
      headers: Schema.Struct({ "last-event-id": Schema.optional(Schema.String) }),
      success: [
        Schema.Struct({
          ...facts,
          memory: Schema.NullOr(RunMemory),
          usage: Schema.Struct({
            input_tokens: Schema.Int,
            output_tokens: Schema.Int,
            cache_read_tokens: Schema.Int,
            cache_write_tokens: Schema.Int
          }),
          answer: Schema.NullOr(ChatResponse)
        }).annotate({ identifier: "Run" }),
        HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" })
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "How far a chat is, and its answer when it has ended",
        description:
          "`id` is what `Prefer: respond-async` was answered with, and a chat's `session_id`. A run of a workspace that was erased is none any more. With `Accept: text/event-stream` (and no `application/json`) it comes as server-sent events: `requested`, `started`, `resumed`, `compacted` (of the first `up_to` turns a summary goes on), `turn` (`turn`, `text`, `tool_calls`, `usage`), `tools` (`turn`, `results`, the first 500 of `changed_files`, how many have `changed`; both null a day after the run), `remembered` (`how`, `path`, `usage`: the workspace's memory goes on), `cancelling`, each with an `id` to go on behind with `Last-Event-ID`; in between `text` (`turn`, `offset`, `text`), what the model says before its turn is recorded, from `offset` 0 on over each connection; at last `answer`, whose data is this operation's JSON. `end` says why nothing more comes before that: `stopping`, `unavailable`, `revoked` or `erased`. A comment comes every 15 s when nothing else does. Whoever stops listening does not stop the run."
      })
    ),
    HttpApiEndpoint.get("listRuns", "/api/workspaces/:id/runs", {
      params: id,
      query: pageQuery,
      success: Schema.Struct({ runs: Schema.Array(ListedRun), next_cursor: NextCursor })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A workspace's chats, the one asked for last first",
        description: "At most 1,000 at a time, unless `limit` says fewer. Go on with `cursor` = `next_cursor`."
      })
    ),
    HttpApiEndpoint.post("cancel", "/api/runs/:id/cancel", {
      params: id,
      success: Schema.Struct({
        success: Schema.Boolean,
        run_id: Schema.String,
        workspace_id: Schema.String
      }).annotate({ identifier: "CancelResponse" })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Cancel a chat that has not ended",
          description:
            "Stops the model and the command that runs, and saves what was written as one commit; the chat answers with `success: false` and says that it was cancelled. A run that waits behind another one of its workspace ends in its turn, without beginning. One that has ended, or was cancelled before, is refused with 409."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Runs", description: "Chats, one by one." })) {}
