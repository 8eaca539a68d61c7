import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { textUpTo } from "./fields.ts"
import { AddressRate, Problems, WellFormed } from "./middleware.ts"

const SignInKey = Schema.Struct({
  key: Schema.String,
  key_id: Schema.String,
  /** ISO 8601. */
  expires_at: Schema.String
}).annotate({ identifier: "SignInKey" })

/** The route by which whoever started the service signs in without a key: `/api/sign-in`. */
export class SignInApi extends HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("exchange", "/api/sign-in", {
      payload: body(Schema.Struct({ code: textUpTo(100) })),
      success: SignInKey
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Exchange the code of the sign-in link for a key",
        description:
          "The service prints a link with a code on the terminal that it was started on. The code works once, within a minute, from the same machine: from elsewhere, or through a proxy, the answer is 403 `permission/not_this_machine`, and the code stays valid. The key is the operator's, expires after twelve hours, and can be revoked like any other. A code that is not valid (any more) gets a 403 `permission/invalid_code`; after five of these, no code is valid."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(AddressRate)
  .middleware(Problems)
  .annotateMerge(
    OpenApi.annotations({ title: "Sign-in", description: "The link that the service prints on a terminal." })
  ) {}
