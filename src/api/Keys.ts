import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Role } from "#domain/Key.ts"
import { body } from "./body.ts"
import { NextCursor, pageQuery } from "./cursor.ts"
import { Id, optional, textUpTo, wellFormed } from "./fields.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const Email = Schema.String.check(
  wellFormed,
  // a byte order mark is a blank to some readers of the document, and none to others
  Schema.isPattern(/^[^\s\ufeff@<>]{1,64}@[^\s\ufeff@<>]{1,255}$/u, {
    message: "is no e-mail address; expected name@domain"
  })
)
const Name = textUpTo(200)

const CreatedKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** The full secret: only ever in this answer. */
  key: Schema.String,
  key_prefix: Schema.String,
  user_email: Schema.String,
  organization_id: Schema.String,
  organization_name: Schema.String,
  /** What the key may do. */
  role: Role,
  is_new_member: Schema.Boolean,
  created_at: Schema.String
}).annotate({ identifier: "CreatedKey" })

const ListedKey = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  key_prefix: Schema.String,
  user_email: Schema.String,
  user_id: Schema.String,
  role: Role,
  created_at: Schema.String,
  last_used_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ListedKey" })

export class KeysApi extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("createKey", "/api/keys/org/create", {
      payload: body(
        Schema.Struct({
          email: Email,
          key_name: Name,
          role: optional(Schema.Literals(["member", "admin"]))
        })
      ),
      success: CreatedKey
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Create a key for a member",
          description:
            "Adds the person to the organization when they are no member yet. `role` is `member` unless told for who is new; for a member it is then the one that they joined with, but never more than the role of the key that asks."
        })
      ),
    HttpApiEndpoint.post("listKeys", "/api/keys/org/list", {
      query: pageQuery,
      success: Schema.Struct({
        keys: Schema.Array(ListedKey),
        organization_id: Schema.String,
        next_cursor: NextCursor
      })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the organization's live keys, oldest first",
        description: "At most 1,000 at a time, unless `limit` says fewer. Go on with `cursor` = `next_cursor`."
      })
    ),
    HttpApiEndpoint.post("revokeKey", "/api/keys/org/revoke", {
      payload: body(Schema.Struct({ key_id: Id })),
      success: Schema.Struct({ success: Schema.Boolean, key_id: Schema.String })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Revoke a key",
          description:
            "Any key of the organization, also the one that asks and an owner's last one: `cairn key create --role owner` then makes another, on the service's machine."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Keys", description: "API keys of an enterprise organization." })) {}
