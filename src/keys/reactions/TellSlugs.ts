import { Effect } from "effect"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { isFirst } from "#domain/Slug.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { reaction } from "#src/reaction.ts"

/**
 * Slugs are decided on in a stream that is no organization's, and that no key may read: that an organization has
 * another one is told in its own. Its first one goes by the registration. Those from before this was told are, too.
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
