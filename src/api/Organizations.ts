import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { isSlug, longestSlug } from "#domain/Slug.ts"
import { Tier } from "#domain/Tier.ts"
import { body } from "./body.ts"
import { optional, textUpTo, wellFormed } from "./fields.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

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

/** What an organization is, and how it is renamed: `/api/organization`. */
export class OrganizationsApi extends HttpApiGroup.make("organization")
  .add(
    HttpApiEndpoint.get("organization", "/api/organization", { success: ShownOrganization }).annotateMerge(
      OpenApi.annotations({
        summary: "The organization that the key is of",
        description: "Its name and its slug: a short name that no other organization of this service has."
      })
    ),
    HttpApiEndpoint.post("rename", "/api/organization", {
      payload: body(Schema.Struct({ name: optional(textUpTo(200)), slug: optional(NewSlug) })),
      success: ShownOrganization
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Give the organization another name, another slug, or both",
          description:
            "For owners and admins. What is left out stays. A slug that another organization has is a 409 `conflict/slug_taken`, and then nothing changes. The former slug is free at once."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Organization", description: "The organization that keys are of." })) {}
