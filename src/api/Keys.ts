import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ActsFor, Role } from "#domain/Key.ts"
import { body } from "./body.ts"
import { Model, Scoped } from "./Chat.ts"
import { NextCursor, pageQuery } from "./cursor.ts"
import { Id, optional, textUpTo, time, wellFormed } from "./fields.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const Email = Schema.String.check(
  wellFormed,
  // some readers of the document take a byte order mark for a blank, others do not
  Schema.isPattern(/^[^\s\ufeff@<>]{1,64}@[^\s\ufeff@<>]{1,255}$/u, {
    message: "is no e-mail address; expected name@domain"
  })
)
const Name = textUpTo(200)

const listUpTo100 = <S extends Schema.Top>(of: S) =>
  Schema.Array(of).check(
    Schema.isMinLength(1, { message: "is empty; expected 1 to 100 entries" }),
    Schema.isMaxLength(100, { message: "has too many entries; expected 1 to 100" })
  )
const WorkspaceId = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u, {
    message: "is no workspace's id; expected a UUID, as a chat or GET /api/workspaces tells it"
  })
)

/** The bounds that a request asks for a key. One that is left out stays as it is; a new key does not have it. */
const askedLimits = {
  acts_for: optional(ActsFor),
  read_only: optional(Schema.Boolean),
  expires_at: optional(time),
  workspaces: optional(listUpTo100(WorkspaceId)),
  models: optional(listUpTo100(Model))
}

const AskedKeyLimits = Schema.Struct(askedLimits)
export type AskedKeyLimits = typeof AskedKeyLimits.Type

/** The bounds of a key. */
const shownLimits = {
  acts_for: ActsFor,
  read_only: Schema.Boolean,
  /** ISO 8601. */
  expires_at: Schema.NullOr(Schema.String),
  workspaces: Schema.NullOr(Schema.Array(Schema.String)),
  models: Schema.NullOr(Schema.Array(Schema.String))
}

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
  ...shownLimits,
  acts_as: Schema.NullOr(Schema.String),
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
  ...shownLimits,
  acts_as: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  last_used_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ListedKey" })

/** Routes to create, list, bound and revoke keys. */
export class KeysApi extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("createKey", "/api/keys/org/create", {
      payload: body(
        Schema.Struct({
          email: Email,
          key_name: Name,
          role: optional(Schema.Literals(["member", "admin", "reader"])),
          acts_as: optional(Scoped),
          ...askedLimits
        })
      ),
      success: CreatedKey
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Create a key for a member",
          description:
            "Adds the person to the organization if they are no member yet. `role` defaults to `member` for a new person and to the person's own role for a member, but never above the role of the calling key. A role above the person's becomes the person's; a lower one is this key's alone. Keys of members and readers act for their own person unless `acts_for` says otherwise."
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
        description: "`limit` defaults to 1,000, which is also the most. To continue, send `next_cursor` as `cursor`."
      })
    ),
    HttpApiEndpoint.post("limitKey", "/api/keys/org/limit", {
      payload: body(Schema.Struct({ key_id: Id, ...askedLimits })),
      success: Schema.Struct({ success: Schema.Boolean, key_id: Schema.String, ...shownLimits })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Change a key's bounds",
          description:
            "Sets the bounds that are given; the others stay. They count at once, also for chats and streams under way. No key outlives the key that bounds it."
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
            "Revokes any key of the organization, even the calling key or an owner's last one; `cairn key create --role owner`, on the service's machine, then makes another."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Keys", description: "API keys of an enterprise organization." })) {}
