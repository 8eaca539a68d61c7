import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { NotOrganizationMember, OrganizationCommand } from "#domain/Organization/commands.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Keys, shownOrganization } from "#projections/Keys.ts"
import { Api } from "#src/api/Api.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { changeSlug } from "#src/keys/changeSlug.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { commanded, organizationOf } from "./organization.ts"
import { orProblem } from "./refusals.ts"

const shown = Effect.gen(function* () {
  const organization = yield* organizationOf(yield* Caller)
  yield* freshOrStale(Keys)
  return (yield* Effect.orDie(shownOrganization(organization))) ?? (yield* new NotOrganizationMember())
})

const nothing = fieldProblem(
  "validation/invalid_field",
  "name",
  "Nothing is to change: send name, slug, or both of them."
)

export const layer = HttpApiBuilder.group(Api, "organization", (handlers) =>
  handlers
    .handle("organization", () => orProblem(shown))

    .handle("rename", ({ payload: { name, slug } }) =>
      Effect.gen(function* () {
        const organization = yield* organizationOf(yield* Caller)
        if (name == null && slug == null) return yield* nothing
        // which may be refused: before the name has changed
        if (slug != null) {
          const metadata = yield* commandMetadata
          const commandId = derivedId("change_slug", metadata.commandId)
          const events = yield* changeSlug(organization, slug, { ...metadata, commandId })
          const last = events.at(-1)
          if (last !== undefined) yield* written(last.position)
        }
        if (name != null) yield* commanded((by) => OrganizationCommand.RenameOrganization({ by, organization, name }))
        return yield* shown
      }).pipe(orProblem)
    )
)
