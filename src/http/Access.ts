import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { operations } from "#domain/access/operations.ts"
import { refusalOf } from "#domain/access/permitted.ts"
import { Api } from "#src/api/Api.ts"
import { Caller } from "#src/api/middleware.ts"
import { shownLimits } from "#src/keys/shownLimits.ts"

export const layer = HttpApiBuilder.group(Api, "access", (handlers) =>
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
      operations: Object.keys(operations).filter((operation) => refusalOf(holder, operation) === undefined)
    }))
  )
)
