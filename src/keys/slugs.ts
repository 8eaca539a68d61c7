import { Effect } from "effect"
import { askedSlug, Slug, SlugCommand, slugStream, slugsOf, slugTenant } from "#domain/Slug.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"

/** Dispatches a command to the stream of the installation's slugs. */
export const onSlugs = (command: SlugCommand, metadata: CommandMetadata) =>
  dispatch(Slug, { tenant: slugTenant, stream: slugStream, command, ...metadata })

/** Gives an organization without a slug one made from its name. Returns the events; none if it has a slug. */
export const giveSlug = Effect.fnUntraced(function* (organization: string, name: string, metadata: CommandMetadata) {
  const { secret } = yield* Installation
  const candidates = slugsOf(name, organization).map((slug) => askedSlug(secret, slug))
  return yield* onSlugs(SlugCommand.GiveSlug({ organization, candidates }), metadata)
})

/** Takes back the slug that an organization has. */
export const freeSlug = (organization: string, metadata: CommandMetadata) =>
  onSlugs(SlugCommand.FreeSlug({ organization }), metadata)
