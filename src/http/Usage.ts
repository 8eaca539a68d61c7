import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { isLimited } from "#domain/access/permitted.ts"
import { Bounds, BoundsCommand, type BoundsOf } from "#domain/Bounds.ts"
import { dayOf, monthOf } from "#domain/bounded.ts"
import { isAbove, KeyNotFound } from "#domain/Key.ts"
import { NotOrganizationMember, OnlyOwnerCanPromote } from "#domain/Organization/commands.ts"
import type { Holder } from "#domain/Scope.ts"
import { dispatch } from "#engine/dispatch.ts"
import { boundsOf } from "#projections/Consumption/bounds.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { holderOfKey } from "#projections/Keys/holders.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { Api } from "#src/api/Api.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { shownBounds, usageReport } from "#src/usage/report.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { orProblem } from "./refusals.ts"

/** The key whose usage is seen; `null`: all keys'. Members and limited keys see only that of their own key. */
const seenBy = ({ role, key, limits }: Holder) => (isAbove("admin", role) || isLimited(limits) ? key : null)

export const layer = HttpApiBuilder.group(Api, "usage", (handlers) =>
  handlers
    .handle("usage", ({ query }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        yield* freshOrStale(Consumption)
        const now = yield* Clock.currentTimeMillis
        const until = query.until ?? dayOf(now)
        const since = query.since ?? monthOf(Date.parse(until))
        if (since > until)
          return yield* fieldProblem(
            "validation/invalid_field",
            "since",
            "since: is behind until; expected a day before it."
          )
        const asked = { tenant: holder.tenant, key: seenBy(holder), by: query.by ?? "day", since, until } as const
        return yield* Effect.orDie(usageReport(asked, now))
      })
    )
    .handle("bounds", () =>
      Effect.gen(function* () {
        const holder = yield* Caller
        yield* freshOrStale(Consumption)
        const all = yield* Effect.orDie(boundsOf(holder.tenant, seenBy(holder)))
        return { bounds: all.map(({ key, bounds }) => shownBounds(key, bounds)) }
      })
    )
    .handle("setBounds", ({ payload }) =>
      Effect.gen(function* () {
        const { organization, role } = yield* Caller
        if (organization === null) return yield* new NotOrganizationMember()
        const key = payload.key_id?.toLowerCase() ?? null
        if (key !== null) {
          yield* freshOrStale(Keys)
          const holder = yield* Effect.orDie(holderOfKey(key))
          if (holder?.organization !== organization) return yield* new KeyNotFound({ key })
          if (isAbove(holder.role, role)) return yield* new OnlyOwnerCanPromote({ role })
          if (payload.models != null)
            return yield* fieldProblem(
              "validation/invalid_field",
              "models",
              "models: is set for the whole organization; expected no key_id, or no models."
            )
        }
        const bounds: BoundsOf = {
          chatsPerDay: payload.chats_per_day ?? null,
          tokensPerMonth: payload.tokens_per_month ?? null,
          costPerMonth: payload.cost_per_month ?? null,
          maxTurns: payload.max_turns ?? null,
          models: payload.models ?? null,
          snippets: payload.snippets ?? null,
          repositoryBytes: payload.repository_bytes ?? null
        }
        const events = yield* dispatch(Bounds, {
          tenant: organization,
          stream: `bounds-${organization}`,
          command: BoundsCommand.SetBounds({ tenant: organization, key, bounds }),
          ...(yield* commandMetadata)
        })
        const last = events.at(-1)
        if (last !== undefined) yield* written(last.position)
        return shownBounds(key, last?.event ?? bounds)
      }).pipe(orProblem)
    )
)
