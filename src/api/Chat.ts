import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { optional, Text, textUpTo, whole } from "./fields.ts"
import { oneText, reads } from "./limits.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

export const Scoped = textUpTo(1_000)
export const Model = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9._:/@-]{1,127}$/u, {
    message: "is no model; expected sonnet, opus, haiku, local, or a model's full id"
  })
)
const Paths = Schema.Array(Schema.String)

export const ChatRequest = Schema.Struct({
  user_query: Text,
  user_id: Scoped,
  org_id: Scoped,
  model: optional(Model),
  max_turns: optional(whole(1, 100))
}).annotate({ identifier: "ChatRequest" })

export const ChatResponse = Schema.Struct({
  success: Schema.Boolean,
  output: Schema.String,
  error: Schema.String,
  session_id: Schema.String,
  duration_ms: Schema.Int,
  changed_files: Paths,
  workspace_files: Paths,
  org_workspace_files: Paths,
  workspace_id: Schema.String,
  commit: Schema.String
}).annotate({ identifier: "ChatResponse" })

export class ChatApi extends HttpApiGroup.make("chat")
  .add(
    HttpApiEndpoint.post("chat", "/api/agent-chat", {
      payload: body(ChatRequest),
      success: ChatResponse
    })
      .middleware(Idempotency)
      .annotateMerge(reads(oneText))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Give the agent a task in the workspace of (org_id, user_id)",
          description:
            "Restores the workspace, lets the agent work, saves what changed as one commit. `model` is `sonnet` and `max_turns` 8 unless told."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "Agent workspaces." })) {}
