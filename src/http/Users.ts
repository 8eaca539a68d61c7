import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { listUsers } from "#projections/Keys/listed.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, mostListed, placePosition } from "#src/api/cursor.ts"
import { Caller } from "#src/api/middleware.ts"
import { placesIn, writtenPosition } from "#src/positions.ts"
import { freshOrStale } from "./answer.ts"
import { commanded } from "./organization.ts"
import { orProblem } from "./refusals.ts"

const places = cursors<readonly [position: number]>(Schema.Tuple([placePosition]))

export const layer = HttpApiBuilder.group(Api, "users", (handlers) =>
  handlers
    .handle("listUsers", ({ query }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        yield* freshOrStale(Keys)
        yield* freshOrStale(KeyUsage)
        const asked = ["users", tenant, ...(yield* placesIn)]
        const [after] = (yield* places.read(asked, query.cursor)) ?? [0]
        const limit = query.limit ?? mostListed
        const found = yield* Effect.orDie(listUsers(tenant, after, limit + 1))
        return {
          users: found.slice(0, limit).map(({ joined_by: _, ...user }) => user),
          organization_id: tenant,
          next_cursor: found.length > limit ? places.write(asked, [found[limit - 1]!.joined_by]) : null
        }
      })
    )

    .handle("changeRole", ({ params, payload: { role } }) =>
      Effect.gen(function* () {
        const user = params.id.toLowerCase()
        yield* commanded((by) => OrganizationCommand.ChangeRole({ by, user, role }))
        return { success: true, user_id: user, role }
      }).pipe(orProblem)
    )

    .handle("eraseUser", ({ params }) =>
      Effect.gen(function* () {
        const user = params.id.toLowerCase()
        const events = yield* commanded((by) => OrganizationCommand.EraseMember({ by, user }))
        return {
          success: true,
          erased: { users: 1, keys: events.length - 1 },
          position: yield* writtenPosition(events.at(-1)!.position)
        }
      }).pipe(orProblem)
    )
)
