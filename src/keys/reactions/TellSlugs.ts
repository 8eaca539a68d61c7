import { Effect } from "effect"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { isFirst } from "#domain/Slug.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { reaction } from "#src/reaction.ts"

/**
 * Records in an organization's own stream that it has another slug: the stream in which slugs are decided belongs to no
 * organization, and no key may read it. A first slug goes by the registration. Older changes are recorded, too.
 */
export const TellSlugs = reaction({
  name: "tell_slugs",
  on: ["SlugTaken"],
  needsText: true,
  handle: ({ event, eventId, correlationId, actor }) => {
    const { organization, subject, text } = event
    if (isFirst(event)) return Effect.void
    return dispatch(Organization, {
      tenant: organization,
      stream: `organization-${organization}`,
      commandId: derivedId("tell_slug", eventId),
      correlationId,
      causationId: eventId,
      actor,
      command: OrganizationCommand.TellSlug({ organization, subject, slug: text?.slug ?? null })
    })
  }
})
