import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Remembering } from "#domain/Chat.ts"
import { ChatFailure } from "#domain/Workspace/events.ts"
import { ChatResponse } from "./Chat.ts"
import { NextCursor, pageQuery } from "./cursor.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"
import { RunUsage, ToldTurn, TurnList } from "./turns.ts"

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

/** A tool that a run has called: how often, and how often it failed. */
export const CalledTool = Schema.Struct({ name: Schema.String, calls: Schema.Int, failed: Schema.Int }).annotate({
  identifier: "CalledTool"
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
          usage: RunUsage,
          task: Schema.String,
          tools: Schema.Array(CalledTool),
          answer: Schema.NullOr(ChatResponse)
        }).annotate({ identifier: "Run" }),
        HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" })
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "How far a chat is, and its answer when it has ended",
        description:
          "`id` is what `Prefer: respond-async` was answered with, and a chat's `session_id`. A run of a workspace that was erased is none any more. `task` is all that was asked for; `tools` are those that it has called so far, the one called first first. With `Accept: text/event-stream` (and no `application/json`) it comes as server-sent events: `requested`, `started`, `resumed`, `compacted` (of the first `up_to` turns a summary goes on), `turn` (`turn`, `text`, `tool_calls`, `usage`), `tools` (`turn`, `results`, the first 500 of `changed_files` (each `path`, `status` and `sha`, as of a commit), how many have `changed`; both null a day after the run), `remembered` (`how`, `path`, `usage`: the workspace's memory goes on), `cancelling`, each with an `id` to go on behind with `Last-Event-ID`; in between `text` (`turn`, `offset`, `text`), what the model says before its turn is recorded, from `offset` 0 on over each connection; at last `answer`, whose data is this operation's JSON. `end` says why nothing more comes before that: `stopping`, `unavailable`, `revoked` or `erased`. A comment comes every 15 s when nothing else does. Whoever stops listening does not stop the run."
      })
    ),
    HttpApiEndpoint.get("turns", "/api/runs/:id/turns", { params: id, success: TurnList }).annotateMerge(
      OpenApi.annotations({
        summary: "A chat's turns, with the time, tokens and cost of each",
        description:
          "The first one first, as far as the run is. Costs are US dollars by today's prices of the name that the chat asked for (`docs/models.md`); null where nobody has said any. `compacted` is the request that summed older turns up before this one, `remembered` the one behind the last turn, for the workspace's memory; both have tokens of their own. The files after a turn are `GET /api/workspaces/{id}/tree?run=…&turn=…`."
      })
    ),
    HttpApiEndpoint.get("turn", "/api/runs/:id/turns/:turn", {
      params: { ...id, turn: Schema.String },
      success: ToldTurn
    }).annotateMerge(
      OpenApi.annotations({
        summary: "What the model was told at a turn of a chat",
        description:
          "`told` is put together from the log, and from the files that the run began on, by the code that puts it together for the model: the system prompt, the tools, the task (with the account of earlier chats, and with the summary of turns that are told in short), and every turn before with the results of its tools, as they were sent. The wording of the system prompt and of the tools is in no log: it is that of the version that answers. What a provider's API makes of it is its adapter's."
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
