import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
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
  max_turns: optional(whole(1, 100)),
  memory: optional(Schema.Boolean)
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

/** A chat that goes on by itself. */
export const ChatAccepted = Schema.Struct({ run_id: Schema.String, workspace_id: Schema.String }).annotate({
  identifier: "ChatAccepted"
})

const Dollars = Schema.Finite.annotate({ description: "US dollars per million tokens." })

export const Models = Schema.Struct({
  models: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "The name that a chat asks for." }),
      model: Schema.String.annotate({ description: "The full id that the provider knows the model by." }),
      provider: Schema.Literals(["anthropic", "openai", "local"]).annotate({
        description:
          "The API that the service asks the model through: Messages, Chat Completions, or none (`local` is no language model)."
      }),
      prices: Schema.NullOr(
        Schema.Struct({ input: Dollars, output: Dollars, cache_read: Dollars, cache_write: Dollars })
      ).annotate({ description: "`null`: none are configured." })
    })
  ).annotate({ description: "The names in the order in which they are configured, then `local`." }),
  full_ids: Schema.Boolean.annotate({ description: "Whether a chat may ask for any other model by its full id." })
}).annotate({ identifier: "Models" })

/** Routes that give an agent a task, and tell which models a chat may ask for. */
export class ChatApi extends HttpApiGroup.make("chat")
  .add(
    HttpApiEndpoint.post("chat", "/api/agent-chat", {
      headers: Schema.Struct({
        prefer: Schema.optional(Schema.String),
        "last-event-id": Schema.optional(Schema.String)
      }),
      payload: body(ChatRequest),
      success: [
        ChatResponse,
        ChatAccepted.pipe(HttpApiSchema.status(202)),
        HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" })
      ]
    })
      .middleware(Idempotency)
      .annotateMerge(reads(oneText))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Give the agent a task in the workspace of (org_id, user_id)",
          description:
            "Restores the workspace, lets the agent work, and saves the changes as one commit. Defaults: `model` `sonnet`, `max_turns` 8. With `Prefer: respond-async` the answer is 202 with the run's id as soon as the chat is stored: `GET /api/runs/{id}`, where `Location` points, tells how far the run is. With `Accept: text/event-stream` (and no `application/json`) the answer is the run's events as they happen, as `GET /api/runs/{id}` streams them."
        })
      ),
    HttpApiEndpoint.get("models", "/api/models", { success: Models }).annotateMerge(
      OpenApi.annotations({
        summary: "The models that a chat may ask for",
        description: "Without the models that the bounds of the calling key or of its organization exclude."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "Agent workspaces." })) {}
