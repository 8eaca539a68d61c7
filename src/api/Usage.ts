import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { usageGroups } from "#domain/bounded.ts"
import { body } from "./body.ts"
import { Model } from "./Chat.ts"
import { Id, optional, whole } from "./fields.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const isDay = (text: string) => {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
const message = "is no day; expected one like 2026-11-23"
const Day = Schema.String.check(
  Schema.isPattern(/^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/, { message }),
  Schema.makeFilter((text) => (isDay(text) ? undefined : message))
)

const most = 1_000_000_000_000
const Dollars = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 1e9 }, { message: "is out of range; expected US dollars from 0 to 1e9" })
)

const bounds = {
  chats_per_day: whole(0, 1_000_000_000),
  tokens_per_month: whole(0, most),
  cost_per_month: Dollars,
  max_turns: whole(1, 100),
  snippets: whole(0, 1_000_000_000),
  repository_bytes: whole(0, 1_000_000_000_000_000),
  models: Schema.Array(Model).check(
    Schema.isMaxLength(100, { message: "has too many models; expected at most 100" }),
    Schema.isMinLength(1, { message: "has no model; expected one, or null for all" })
  )
}

export const SetBounds = Schema.Struct({
  key_id: optional(Id),
  chats_per_day: optional(bounds.chats_per_day),
  tokens_per_month: optional(bounds.tokens_per_month),
  cost_per_month: optional(bounds.cost_per_month),
  max_turns: optional(bounds.max_turns),
  models: optional(bounds.models),
  snippets: optional(bounds.snippets),
  repository_bytes: optional(bounds.repository_bytes)
}).annotate({ identifier: "SetBounds" })

export const ShownBounds = Schema.Struct({
  key_id: Schema.NullOr(Schema.String),
  chats_per_day: Schema.NullOr(Schema.Int),
  tokens_per_month: Schema.NullOr(Schema.Int),
  cost_per_month: Schema.NullOr(Schema.Finite),
  max_turns: Schema.NullOr(Schema.Int),
  models: Schema.NullOr(Schema.Array(Schema.String)),
  snippets: Schema.NullOr(Schema.Int),
  repository_bytes: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "Bounds" })

const counts = {
  chats: Schema.Int,
  turns: Schema.Int,
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  cache_read_tokens: Schema.Int,
  cache_write_tokens: Schema.Int,
  cost: Schema.NullOr(Schema.Finite)
}

export const UsageReport = Schema.Struct({
  since: Schema.String,
  until: Schema.String,
  by: Schema.Literals(usageGroups),
  usage: Schema.Array(Schema.Struct({ of: Schema.String, ...counts })),
  left_out: Schema.Int,
  total: Schema.Struct(counts),
  bounds: Schema.Array(
    Schema.Struct({
      key_id: Schema.NullOr(Schema.String),
      bound: Schema.Literals(["chats_per_day", "tokens_per_month", "cost_per_month"]),
      limit: Schema.Finite,
      used: Schema.Finite,
      resets_at: Schema.String
    })
  ),
  stored: Schema.Struct({
    snippets: Schema.Int,
    repository_bytes: Schema.Int,
    bounds: Schema.Array(
      Schema.Struct({
        key_id: Schema.NullOr(Schema.String),
        bound: Schema.Literals(["snippets", "repository_bytes"]),
        limit: Schema.Int,
        used: Schema.Int
      }).annotate({ identifier: "StorageBound" })
    )
  }).annotate({ identifier: "StoredUsage" })
}).annotate({ identifier: "UsageReport" })

/** Routes of usage, and of its bounds. */
export class UsageApi extends HttpApiGroup.make("usage")
  .add(
    HttpApiEndpoint.get("usage", "/api/usage", {
      query: Schema.Struct({
        by: Schema.optional(Schema.Literals(usageGroups)),
        since: Schema.optional(Day),
        until: Schema.optional(Day)
      }),
      success: UsageReport
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Chats, tokens and their cost, by day, model, key, person or workspace",
        description:
          "For owners and admins, of the whole organization; for others, of the calling key. Days are in UTC. Default: this month. Costs are at the service's current prices."
      })
    ),
    HttpApiEndpoint.get("bounds", "/api/bounds", {
      success: Schema.Struct({ bounds: Schema.Array(ShownBounds) })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "What the organization and its keys may use",
        description: "Members see the bounds of the organization and of the calling key."
      })
    ),
    HttpApiEndpoint.post("setBounds", "/api/bounds", { payload: body(SetBounds), success: ShownBounds })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Set what the organization, or one of its keys, may use",
          description:
            "For owners and admins. Replaces what was set before: what is left out is not bounded. The bounds count for running chats from their next turn on."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Usage", description: "What is used, and its bounds." })) {}
