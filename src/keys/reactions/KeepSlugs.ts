import { Effect } from "effect"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Keys, tenantOf } from "#projections/Keys.ts"
import { giveSlug } from "#src/keys/slugs.ts"
import { reaction } from "#src/reaction.ts"

/**
 * Every organization that is there has a slug: also when who registered it was killed before it had one, or when its
 * slug was taken back. One that is yet to be registered is left alone.
 */
export const KeepSlugs = reaction({
  name: "keep_slugs",
  on: ["OrganizationRegistered", "SlugFreed"],
  handle: ({ event: { organization }, eventId, correlationId, actor }) =>
    Effect.gen(function* () {
      yield* fresh(Keys)
      const known = yield* tenantOf(organization)
      const metadata = { commandId: derivedId("keep_slugs", eventId), correlationId, causationId: eventId, actor }
      if (known !== undefined) yield* giveSlug(organization, known.name, metadata)
    })
})
