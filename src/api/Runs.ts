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

/** How a run gets into the workspace's memory. */
export const RunMemory = Schema.Literals(["pending", ...Remembering.literals, "none"]).annotate({
  identifier: "RunMemory"
})

/** A tool that a run has called: how often, and how often it failed. */
export const CalledTool = Schema.Struct({ name: Schema.String, calls: Schema.Int, failed: Schema.Int }).annotate({
  identifier: "CalledTool"
})

/** A run as a list shows it. */
export const ListedRun = Schema.Struct({ ...facts, task: Schema.String }).annotate({ identifier: "ListedRun" })

const id = { id: Schema.String }

/** Routes to follow, list and cancel runs. */
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
          "`id` is the `run_id` that `Prefer: respond-async` answers with, and a chat's `session_id`. A run of an erased workspace is not found. `task` is the whole task; `tools` are those called so far, in the order of their first calls. With `Accept: text/event-stream` (and no `application/json`) the run comes as server-sent events: `requested`, `started`, `resumed`, `compacted` (a summary replaces the first `up_to` turns), `turn` (`turn`, `text`, `tool_calls`, `usage`), `tools` (`turn`, `results`, the first 500 `changed_files` (each with `path`, `status` and `sha`, as in a commit), and how many have `changed`; both are null a day after the run), `remembered` (`how`, `path`, `usage`: the workspace's memory is updated) and `cancelling`. Each has an `id`; send it as `Last-Event-ID` to continue after that event. In between, `text` (`turn`, `offset`, `text`) is what the model says before its turn is recorded, from `offset` 0 on each connection. The last event is `answer`, whose data is this operation's JSON. If the stream ends before that, `end` says why: `stopping`, `unavailable`, `revoked` or `erased`. A comment comes every 15 s when nothing else does. The run goes on when a listener leaves."
      })
    ),
    HttpApiEndpoint.get("turns", "/api/runs/:id/turns", { params: id, success: TurnList }).annotateMerge(
      OpenApi.annotations({
        summary: "A chat's turns, with the time, tokens and cost of each",
        description:
          "The turns taken so far, in order. Costs are in US dollars at the service's current prices of the name that the chat asked for (`docs/models.md`); null if it has none. `compacted` is the request before a turn that summarized older turns, `remembered` the one after the last turn, for the workspace's memory; both have tokens of their own. `GET /api/workspaces/{id}/tree?run=…&turn=…` has the files after a turn."
      })
    ),
    HttpApiEndpoint.get("turn", "/api/runs/:id/turns/:turn", {
      params: { ...id, turn: Schema.String },
      success: ToldTurn
    }).annotateMerge(
      OpenApi.annotations({
        summary: "What the model was told at a turn of a chat",
        description:
          "`told` is built from the log, and from the files that the run began on, by the code that builds it for the model: the system prompt, the tools, the task (with the account of earlier chats and the summary of older turns), and every earlier turn with the results of its tools, as they were sent. The log does not have the wording of the system prompt and of the tools: it is that of the version that answers. The adapter of a provider's API decides what that API is sent."
      })
    ),
    HttpApiEndpoint.get("listRuns", "/api/workspaces/:id/runs", {
      params: id,
      query: pageQuery,
      success: Schema.Struct({ runs: Schema.Array(ListedRun), next_cursor: NextCursor })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A workspace's chats, the latest requested first",
        description: "`limit` defaults to 1,000, which is also the most. To continue, send `next_cursor` as `cursor`."
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
            "Stops the model and the running command, and saves what was written as one commit; the chat answers with `success: false` and says that it was cancelled. A run that waits for another one of its workspace ends when its turn comes, without beginning. For a run that has ended, or was cancelled before, the answer is 409."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Runs", description: "Chats, one by one." })) {}
