import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { KeyNotFound, type Role } from "#domain/Key.ts"
import { type AskedLimits, OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import type { OrganizationEvent } from "#domain/Organization/events.ts"
import { normalEmail, personId } from "#domain/Person.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import type { Position } from "#engine/Position.ts"
import { Installation } from "#ports/Installation.ts"
import { holderOfKey } from "#projections/Keys/holders.ts"
import { listKeys } from "#projections/Keys/listed.ts"
import { tenantOf } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, mostListed, placePosition } from "#src/api/cursor.ts"
import { millisecondsOf } from "#src/api/fields.ts"
import type { AskedKeyLimits as Asked } from "#src/api/Keys.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { issueKey } from "#src/keys/issue.ts"
import { shownLimits } from "#src/keys/shownLimits.ts"
import { placesIn } from "#src/positions.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { commanded, organizationOf } from "./organization.ts"
import { orProblem } from "./refusals.ts"

const places = cursors<readonly [position: number]>(Schema.Tuple([placePosition]))

const past = fieldProblem("validation/invalid_field", "expires_at", "expires_at is over. Send a time that is to come.")

/** The bounds that a request asks for, without those that it leaves out or has as `null`. */
const limitsIn = Effect.fnUntraced(function* ({ acts_for, read_only, expires_at, workspaces, models }: Asked) {
  const expiresAt = expires_at == null ? undefined : millisecondsOf(expires_at)
  if (expiresAt !== undefined && expiresAt <= (yield* Clock.currentTimeMillis)) return yield* past
  const limits: AskedLimits = {
    ...(acts_for == null ? {} : { actsFor: acts_for }),
    ...(read_only == null ? {} : { readOnly: read_only }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(workspaces == null ? {} : { workspaces: [...new Set(workspaces.map((id) => id.toLowerCase()))] }),
    ...(models == null ? {} : { models: [...new Set(models)] })
  }
  return limits
})

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
        const { full, key: issued } = issueKey(derivedId("key", metadata.commandId), payload.key_name)
        const key = { ...issued, userId: payload.acts_as ?? null }
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
            key,
            limits: yield* limitsIn(payload)
          }),
          ...metadata
        })
        const created = events.at(-1)!
        if (created.event._tag !== "KeyCreated" || created.event.hash !== key.hash)
          return yield* alreadyCreated(key.key)
        yield* written(created.position)
        yield* freshOrStale(Keys)
        const tenant = yield* Effect.orDie(tenantOf(organization))
        const made = yield* Effect.orDie(holderOfKey(key.key))
        const changed = events.find(({ event }) => event._tag === "MemberAdded" || event._tag === "MemberRoleChanged")
        const theirs = changed?.event as { readonly role: Role } | undefined
        return {
          id: key.key,
          name: payload.key_name,
          key: full,
          key_prefix: key.prefix,
          user_email: email,
          organization_id: organization,
          organization_name: tenant?.name ?? "",
          role: created.event.role ?? theirs?.role ?? made?.role ?? "member",
          ...shownLimits(created.event),
          acts_as: key.userId,
          is_new_member: events.some(({ event }) => event._tag === "MemberAdded"),
          created_at: new Date(created.recordedAt).toISOString()
        }
      }).pipe(orProblem)
    )

    .handle("listKeys", ({ query }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
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

    .handle("limitKey", ({ payload }) =>
      Effect.gen(function* () {
        const key = payload.key_id.toLowerCase()
        const limits = yield* limitsIn(payload)
        yield* commanded((by) => OrganizationCommand.LimitKey({ by, key, limits }))
        const limited = yield* Effect.orDie(holderOfKey(key))
        if (limited === undefined) return yield* new KeyNotFound({ key })
        return { success: true, key_id: key, ...shownLimits(limited.limits) }
      }).pipe(orProblem)
    )

    .handle("revokeKey", ({ payload }) =>
      Effect.gen(function* () {
        const key = payload.key_id.toLowerCase()
        yield* commanded((by) => OrganizationCommand.RevokeKey({ by, key }))
        return { success: true, key_id: key }
      }).pipe(orProblem)
    )
)
