import { Effect } from "effect"
import { Organization } from "#domain/Organization/decider.ts"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { tenantOf } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { freeSlug, giveSlug } from "#src/keys/slugs.ts"
import { reaction } from "#src/reaction.ts"

/**
 * Sees to it that every registered organization has a slug and no erased one has: also if the process that registered
 * it was killed before that, if its slug was taken back, or if it was erased while it took another one. An organization
 * that is yet to be registered is left alone.
 */
export const KeepSlugs = reaction({
  name: "keep_slugs",
  on: ["OrganizationRegistered", "OrganizationErased", "SlugTaken", "SlugFreed"],
  handle: ({ event: { organization }, eventId, correlationId, actor }) =>
    Effect.gen(function* () {
      const { erasure } = yield* (yield* Dispatcher).state(Organization, `organization-${organization}`)
      const metadata = { commandId: derivedId("keep_slugs", eventId), correlationId, causationId: eventId, actor }
      if (erasure !== "none") return yield* freeSlug(organization, metadata)
      yield* fresh(Keys)
      const known = yield* tenantOf(organization)
      if (known !== undefined) yield* giveSlug(organization, known.name, metadata)
    })
})
