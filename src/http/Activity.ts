import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { firstTime } from "#domain/times.ts"
import { Activity, hoursOf, kinds, pendingGradings } from "#projections/Activity.ts"
import { Gradings } from "#projections/Gradings.ts"
import { Api } from "#src/api/Api.ts"
import { millisecondsOf } from "#src/api/fields.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { freshOrStale } from "./answer.ts"

const hour = 3_600_000
const day = 24 * hour
const most = 32 * day

export const layer = HttpApiBuilder.group(Api, "activity", (handlers) =>
  handlers.handle("activity", ({ query }) =>
    Effect.gen(function* () {
      const { tenant } = yield* Caller
      const now = yield* Clock.currentTimeMillis
      const until = query.until === undefined ? now : millisecondsOf(query.until)
      const from = query.since === undefined ? Math.max(until - day, firstTime) : millisecondsOf(query.since)
      // counts are kept by the hour
      const since = Math.floor(from / hour) * hour
      if (since > until || until - since > most)
        return yield* fieldProblem(
          "validation/invalid_field",
          "since",
          "since: is behind until, or more than 32 days before it; expected a time in between."
        )
      yield* freshOrStale(Activity)
      yield* freshOrStale(Gradings)
      const rows = yield* Effect.orDie(hoursOf(tenant, new Date(since), new Date(until)))
      const none = Object.fromEntries(kinds.map((kind) => [kind, 0])) as { [kind in (typeof kinds)[number]]: number }
      const hours = new Map<string, { at: string } & typeof none>()
      for (const row of rows) {
        const at = row.hour.toISOString()
        const told = hours.get(at) ?? { at, ...none }
        told[row.kind] = row.count
        hours.set(at, told)
      }
      return {
        since: new Date(since).toISOString(),
        until: new Date(until).toISOString(),
        hours: [...hours.values()],
        pending_gradings: yield* Effect.orDie(pendingGradings(tenant))
      }
    })
  )
)
