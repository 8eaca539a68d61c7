import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ActsFor, Role } from "#domain/Key.ts"
import { Tier } from "#domain/Tier.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const Access = Schema.Struct({
  key_id: Schema.String,
  user_id: Schema.String,
  user_email: Schema.String,
  organization_id: Schema.NullOr(Schema.String),
  tier: Tier,
  role: Role,
  operator: Schema.Boolean,
  acts_for: ActsFor,
  read_only: Schema.Boolean,
  /** ISO 8601. */
  expires_at: Schema.NullOr(Schema.String),
  workspaces: Schema.NullOr(Schema.Array(Schema.String)),
  models: Schema.NullOr(Schema.Array(Schema.String)),
  operations: Schema.Array(Schema.String),
  /** `null`: any number. */
  rates: Schema.Struct({
    search: Schema.NullOr(Schema.Int),
    store: Schema.NullOr(Schema.Int),
    chat: Schema.NullOr(Schema.Int),
    keys_create: Schema.NullOr(Schema.Int),
    keys_list: Schema.NullOr(Schema.Int),
    keys_revoke: Schema.NullOr(Schema.Int),
    other: Schema.NullOr(Schema.Int)
  }).annotate({ identifier: "KeyRates" })
}).annotate({ identifier: "Access" })

/** The route that tells what a key may do: `/api/access`. */
export class AccessApi extends HttpApiGroup.make("access")
  .add(
    HttpApiEndpoint.get("access", "/api/access", { success: Access }).annotateMerge(
      OpenApi.annotations({
        summary: "Whose the calling key is, and what it may do",
        description:
          "`operations` has the ids of this document's operations that are not refused to the key as a whole. A single thing, such as another person's workspace, may still be out of its reach."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Access", description: "What a key may do." })) {}
