import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { operations } from "#domain/access/operations.ts"
import { refusalOf } from "#domain/access/permitted.ts"
import { Api } from "#src/api/Api.ts"
import { Caller, RequestRates } from "#src/api/middleware.ts"
import { shownLimits } from "#src/keys/shownLimits.ts"

const kinds = ["search", "store", "chat", "keys_create", "keys_list", "keys_revoke", "other"] as const

/** Rates as the API tells them. `null`: without a limit, for which JSON has no number. */
const shownRates = (rates: RequestRates["Service"]["rates"]) =>
  Object.fromEntries(
    kinds.map((kind) => {
      const rate = rates[kind] ?? Number.POSITIVE_INFINITY
      return [kind, Number.isFinite(rate) ? rate : null]
    })
  ) as { readonly [K in (typeof kinds)[number]]: number | null }

export const layer = HttpApiBuilder.group(Api, "access", (handlers) =>
  Effect.map(RequestRates, ({ rates }) =>
    handlers.handle("access", () =>
      Effect.map(Caller, (holder) => ({
        key_id: holder.key,
        user_id: holder.user,
        user_email: holder.email,
        organization_id: holder.organization,
        tier: holder.tier,
        role: holder.role,
        operator: holder.operates,
        ...shownLimits(holder.limits),
        operations: Object.keys(operations).filter((operation) => refusalOf(holder, operation) === undefined),
        rates: shownRates(rates)
      }))
    )
  )
)
