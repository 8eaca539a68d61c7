import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { idIn } from "#domain/Id.ts"
import { NotErased, NotOrganizationMember, OrganizationCommand } from "#domain/Organization/commands.ts"
import type { OrganizationEvent } from "#domain/Organization/events.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { Erasures, erasureOf } from "#projections/Erasures.ts"
import { shownOrganization } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { Api } from "#src/api/Api.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { changeSlug } from "#src/keys/changeSlug.ts"
import { shownErasure } from "#src/keys/shownErasure.ts"
import { writtenPosition } from "#src/positions.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { commanded, organizationOf } from "./organization.ts"
import { orProblem } from "./refusals.ts"

const shown = Effect.gen(function* () {
  const organization = yield* organizationOf(yield* Caller)
  yield* freshOrStale(Keys)
  return (yield* Effect.orDie(shownOrganization(organization))) ?? (yield* new NotOrganizationMember())
})

const differs = fieldProblem(
  "conflict/slug_differs",
  "slug",
  "Nothing is erased: this is not the organization's slug. GET /api/organization tells it; send it to confirm."
)

export const layer = HttpApiBuilder.group(Api, "organization", (handlers) =>
  handlers
    .handle("organization", () => orProblem(shown))

    .handle("rename", ({ payload: { name, slug } }) =>
      Effect.gen(function* () {
        const organization = yield* organizationOf(yield* Caller)
        // the slug first: it may be refused, and then the name must not have changed
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

    .handle("erase", ({ payload: { slug } }) =>
      Effect.gen(function* () {
        const { organization_id: organization, slug: own } = yield* shown
        const { operates } = yield* Caller
        if (slug !== own) return yield* differs
        const events = yield* commanded((by) => OrganizationCommand.EraseOrganization({ by, organization, operates }))
        const { event, position } = events.at(-1)!
        const { members, keys } = event as Extract<OrganizationEvent, { readonly _tag: "OrganizationErased" }>
        const status_url = `/api/erasures/${organization}`
        return HttpServerResponse.jsonUnsafe(
          {
            organization_id: organization,
            status_url,
            erased: { members, keys },
            position: yield* writtenPosition(position)
          },
          { status: 202, headers: { location: status_url } }
        )
      }).pipe(orProblem)
    )
)

export const erasures = HttpApiBuilder.group(Api, "erasures", (handlers) =>
  handlers.handle("erasure", ({ params }) =>
    Effect.gen(function* () {
      const organization = idIn(params.id)
      if (organization === undefined) return yield* new NotErased({ organization: params.id })
      yield* Effect.all([freshOrStale(Erasures), freshOrStale(Consumption), freshOrStale(Workspaces)])
      const erasure = yield* Effect.orDie(erasureOf(organization))
      return yield* erasure === undefined ? new NotErased({ organization }) : shownErasure(erasure)
    }).pipe(orProblem)
  )
)
