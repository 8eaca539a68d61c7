import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.delete("eraseUser", "/api/users/:id", {
      params: { id: Schema.String },
      success: Schema.Struct({
        success: Schema.Boolean,
        erased: Schema.Struct({
          users: Schema.Int,
          /** Revoked with the user. */
          keys: Schema.Int
        }),
        /** Of the last event in the log that says so. */
        position: Schema.String
      })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Erase a user of the organization",
          description:
            "For owners and admins. Revokes the user's keys, deletes name and e-mail, and frees the seat; what the user stored for the organization stays, without their name. `id` is the `user_id` of the list of keys. The owner can't be erased. The same e-mail can be added again later."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "The organization's people." })) {}
