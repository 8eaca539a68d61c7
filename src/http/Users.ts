import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { NotOrganizationMember, Organization, OrganizationCommand } from "#domain/Organization.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Keys } from "#projections/Keys.ts"
import { Api } from "#src/api/Api.ts"
import { Caller } from "#src/api/middleware.ts"
import { writtenPosition } from "#src/positions.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { orProblem } from "./refusals.ts"

export const layer = HttpApiBuilder.group(Api, "users", (handlers) =>
  handlers.handle("eraseUser", ({ params }) =>
    Effect.gen(function* () {
      const { key, organization } = yield* Caller
      if (organization === null) return yield* new NotOrganizationMember()
      const events = yield* dispatch(Organization, {
        tenant: organization,
        stream: `organization-${organization}`,
        command: OrganizationCommand.EraseMember({ by: key, user: params.id.toLowerCase() }),
        ...(yield* commandMetadata)
      })
      const { position } = events.at(-1)!
      yield* written(position)
      // not before the read model has forgotten them too
      yield* freshOrStale(Keys)
      return {
        success: true,
        erased: { users: 1, keys: events.length - 1 },
        position: yield* writtenPosition(position)
      }
    }).pipe(orProblem)
  )
)
