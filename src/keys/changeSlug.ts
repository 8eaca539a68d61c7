import { Effect } from "effect"
import { Organization } from "#domain/Organization/decider.ts"
import { askedSlug, SlugCommand } from "#domain/Slug.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"
import { onSlugs } from "./slugs.ts"

/** How often to look whether a slug's holder gets registered, and the pause between two looks. */
const looks = 50
const pause = "100 millis"

const comesToBe = Effect.fnUntraced(function* (organization: string) {
  const dispatcher = yield* Dispatcher
  for (let look = 0; look < looks; look++) {
    const { registered, erasure } = yield* dispatcher.state(Organization, `organization-${organization}`)
    if (registered !== undefined) return true
    if (erasure !== "none") return false
    yield* Effect.sleep(pause)
  }
  return false
})

/**
 * Gives an organization this slug in place of what it had. A new organization takes its slug before it is registered:
 * what a crash in between left to nobody is taken back here. Refused if another one has the slug.
 */
export const changeSlug = Effect.fnUntraced(function* (organization: string, slug: string, metadata: CommandMetadata) {
  const { secret } = yield* Installation
  const change = onSlugs(SlugCommand.ChangeSlug({ organization, asked: askedSlug(secret, slug) }), metadata)
  return yield* change.pipe(
    Effect.catchTag("SlugInUse", (refusal) =>
      Effect.gen(function* () {
        if (yield* comesToBe(refusal.holder)) return yield* refusal
        const commandId = derivedId("free_slug", metadata.commandId, refusal.holder)
        const back = SlugCommand.FreeSlug({ organization: refusal.holder })
        yield* onSlugs(back, { ...metadata, commandId, request: null })
        return yield* change
      })
    )
  )
})
