import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Role } from "#domain/Key.ts"
import { body } from "./body.ts"
import { NextCursor, pageQuery } from "./cursor.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const ListedUser = Schema.Struct({
  user_id: Schema.String,
  user_email: Schema.String,
  role: Role,
  /** Live keys. */
  keys: Schema.Int,
  /** ISO 8601, as `last_used_at`. */
  joined_at: Schema.String,
  last_used_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ListedUser" })

/** Routes of an organization's people. */
export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("listUsers", "/api/users", {
      query: pageQuery,
      success: Schema.Struct({
        users: Schema.Array(ListedUser),
        organization_id: Schema.String,
        next_cursor: NextCursor
      })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the organization's people, the earliest member first",
        description: "For owners and admins. `limit` defaults to 1,000, which is also the most."
      })
    ),
    HttpApiEndpoint.post("changeRole", "/api/users/:id/role", {
      params: { id: Schema.String },
      payload: body(Schema.Struct({ role: Schema.Literals(["admin", "member", "reader"]) })),
      success: Schema.Struct({ success: Schema.Boolean, user_id: Schema.String, role: Role })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Change a person's role",
          description:
            "Only owners make admins, or take that role away. The role counts at once for all of the person's keys; keys with a higher role of their own lose it. The owner keeps their role."
        })
      ),
    HttpApiEndpoint.delete("eraseUser", "/api/users/:id", {
      params: { id: Schema.String },
      success: Schema.Struct({
        success: Schema.Boolean,
        erased: Schema.Struct({
          users: Schema.Int,
          /** Revoked with the user. */
          keys: Schema.Int
        }),
        /** Of the last event in the log that records the erasure. */
        position: Schema.String
      })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Erase a person of the organization",
          description:
            "For owners and admins. Revokes the person's keys, deletes their name and e-mail, and frees the seat; what they stored for the organization stays, without their name. `id` is a `user_id` from the list of keys. The owner can't be erased. The same e-mail can be added again later."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "The organization's people." })) {}
