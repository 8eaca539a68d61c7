import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { isSlug, longestSlug } from "#domain/Slug.ts"
import { Tier } from "#domain/Tier.ts"
import { body } from "./body.ts"
import { optional, textUpTo, wellFormed } from "./fields.ts"
import { AddressRate, Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const slugs = { message: `is no slug; expected 1 to ${longestSlug} of a-z, 0-9 and hyphens within` }

const NewSlug = Schema.String.check(
  wellFormed,
  Schema.isPattern(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/u, slugs),
  Schema.isMaxLength(longestSlug, slugs),
  Schema.makeFilter((text) => isSlug(text) || `${slugs.message}, and no id`)
)

const ShownOrganization = Schema.Struct({
  organization_id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  tier: Tier,
  /** People, the owner included, and how many there may be. */
  members: Schema.Int,
  member_limit: Schema.Int,
  /** ISO 8601. */
  registered_at: Schema.String
}).annotate({ identifier: "Organization" })

const BegunErasure = Schema.Struct({
  organization_id: Schema.String,
  /** A path of this service; needs no key. */
  status_url: Schema.String,
  erased: Schema.Struct({ members: Schema.Int, keys: Schema.Int }),
  /** Of the event in the log that records the erasure. */
  position: Schema.String
}).annotate({ identifier: "BegunErasure" })

const Erasure = Schema.Struct({
  organization_id: Schema.String,
  state: Schema.Literals(["erasing", "erased"]),
  /** ISO 8601, as `ended_at`. */
  begun_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String),
  /** So far. */
  erased: Schema.Struct({
    members: Schema.Int,
    keys: Schema.Int,
    snippets: Schema.Int,
    workspaces: Schema.Int,
    commits: Schema.Int,
    chats: Schema.Int,
    files: Schema.Int
  }),
  left: Schema.Struct({ snippets: Schema.Int, workspaces: Schema.Int }),
  /** Of the last event that is counted. */
  position: Schema.String
}).annotate({ identifier: "Erasure" })

/** Routes to show, rename and erase an organization: `/api/organization`. */
export class OrganizationsApi extends HttpApiGroup.make("organization")
  .add(
    HttpApiEndpoint.get("organization", "/api/organization", { success: ShownOrganization }).annotateMerge(
      OpenApi.annotations({
        summary: "The organization that the key belongs to",
        description: "The slug is a short name that no other organization of this service has."
      })
    ),
    HttpApiEndpoint.post("rename", "/api/organization", {
      payload: body(Schema.Struct({ name: optional(textUpTo(200)), slug: optional(NewSlug) })),
      success: ShownOrganization
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Change the organization's name, its slug, or both",
          description:
            "For owners and admins. What is left out stays. If another organization has the slug, the answer is 409 `conflict/slug_taken` and nothing changes. The former slug is free at once."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("erase", "/api/organization/delete", {
      payload: body(Schema.Struct({ slug: textUpTo(1_000) })),
      success: BegunErasure.pipe(HttpApiSchema.status(202))
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Erase the organization for good",
          description:
            "For owners. `slug` is the organization's, as a confirmation: with another one the answer is 409 `conflict/slug_differs`, and nothing happens. All keys are revoked at once, including the calling key; then the name, people, snippets, workspaces with their repositories, searches, usage and bounds are erased. `GET` of `status_url`, where `Location` points, tells without a key how far the erasure is. The organization that the service made for its operator can't be erased."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(
    OpenApi.annotations({ title: "Organization", description: "The organization that keys belong to." })
  ) {}

/** How far an erasure is. Needs no key, because the organization's keys are revoked. */
export class ErasuresApi extends HttpApiGroup.make("erasures")
  .add(
    HttpApiEndpoint.get("erasure", "/api/erasures/:id", {
      params: { id: Schema.String },
      success: Erasure
    }).annotateMerge(
      OpenApi.annotations({
        summary: "How far an organization's erasure is",
        description:
          "The answer has only numbers and needs no key, because the organization's keys are revoked. `erased` and `left` say what is gone and what is still there; once `state` is `erased`, the answer is the receipt. The erasure goes on by itself, also after a crash."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(AddressRate)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Erasures", description: "Organizations that were erased." })) {}
