import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  AdminKeyRequired,
  EnterpriseRequired,
  NotOrganizationMember,
  Organization,
  OrganizationCommand,
  type OrganizationEvent
} from "#domain/Organization.ts"
import { normalEmail, personId } from "#domain/Person.ts"
import type { Holder } from "#domain/Scope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import type { Position } from "#engine/Position.ts"
import { Installation } from "#ports/Installation.ts"
import { Keys, listKeys, tenantOf } from "#projections/Keys.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, mostListed, placePosition } from "#src/api/cursor.ts"
import { Caller } from "#src/api/middleware.ts"
import { Problem } from "#src/api/Problem.ts"
import { issueKey } from "#src/keys/issue.ts"
import { placesIn } from "#src/positions.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { orProblem, problemOf } from "./refusals.ts"

const places = cursors<readonly [position: number]>(Schema.Tuple([placePosition]))

const organizationOf = ({ organization }: Holder) =>
  organization === null ? Effect.fail(new NotOrganizationMember()) : Effect.succeed(organization)

/** Listing needs the same authority as making: the decider's rules, asked without a command. */
const mayManage = ({ organization, tier, role }: Holder) => {
  if (organization === null) return problemOf(new NotOrganizationMember())
  if (tier !== "ENTERPRISE") return problemOf(new EnterpriseRequired({ tier }))
  return role === "member" ? problemOf(new AdminKeyRequired({ role })) : undefined
}

const alreadyCreated = (key: string) =>
  new Problem({
    code: "conflict/already_created",
    message: `This request was carried out before: it created the key ${key}, whose secret was only in the first answer. Revoke that key and create another one.`
  })

export const layer = HttpApiBuilder.group(Api, "keys", (handlers) =>
  handlers
    .handle("createKey", ({ payload }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const organization = yield* organizationOf(holder)
        const metadata = yield* commandMetadata
        const { secret } = yield* Installation
        const email = normalEmail(payload.email)
        const user = personId(secret, email)
        const { full, key } = issueKey(derivedId("key", metadata.commandId), payload.key_name)
        const events: ReadonlyArray<{
          readonly event: OrganizationEvent
          readonly position: Position
          readonly recordedAt: number
        }> = yield* dispatch(Organization, {
          tenant: organization,
          stream: `organization-${organization}`,
          command: OrganizationCommand.CreateKey({
            by: holder.key,
            member: { user, email },
            role: payload.role ?? null,
            key
          }),
          ...metadata
        })
        const created = events.at(-1)!
        if (created.event._tag !== "KeyCreated" || created.event.hash !== key.hash)
          return yield* alreadyCreated(key.key)
        yield* written(created.position)
        yield* freshOrStale(Keys)
        const tenant = yield* Effect.orDie(tenantOf(organization))
        return {
          id: key.key,
          name: payload.key_name,
          key: full,
          key_prefix: key.prefix,
          user_email: email,
          organization_id: organization,
          organization_name: tenant?.name ?? "",
          role: created.event.role,
          is_new_member: events.length > 1,
          created_at: new Date(created.recordedAt).toISOString()
        }
      }).pipe(orProblem)
    )

    .handle("listKeys", ({ query }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const refused = mayManage(holder)
        if (refused !== undefined) return yield* refused
        yield* freshOrStale(Keys)
        yield* freshOrStale(KeyUsage)
        const asked = ["keys", holder.tenant, ...(yield* placesIn)]
        const [after] = (yield* places.read(asked, query.cursor)) ?? [0]
        const limit = query.limit ?? mostListed
        const found = yield* Effect.orDie(listKeys(holder.tenant, after, limit + 1))
        const [page, last] = [found.slice(0, limit), found[limit - 1]]
        return {
          keys: page.map(({ created_by: _, ...key }) => key),
          organization_id: holder.tenant,
          next_cursor: found.length > limit ? places.write(asked, [last!.created_by]) : null
        }
      })
    )

    .handle("revokeKey", ({ payload }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const organization = yield* organizationOf(holder)
        const key = payload.key_id.toLowerCase()
        const events = yield* dispatch(Organization, {
          tenant: organization,
          stream: `organization-${organization}`,
          command: OrganizationCommand.RevokeKey({ by: holder.key, key }),
          ...(yield* commandMetadata)
        })
        yield* written(events.at(-1)!.position)
        return { success: true, key_id: key }
      }).pipe(orProblem)
    )
)
