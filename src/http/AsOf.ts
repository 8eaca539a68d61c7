import { Clock, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { toldPosition } from "#domain/toldPosition.ts"
import { beginning, isAfter, type Position } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { AsOfTables } from "#ports/AsOfTables.ts"
import { LogAudit } from "#ports/LogAudit.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, placeId } from "#src/api/cursor.ts"
import { millisecondsOf } from "#src/api/fields.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { AsOfs, type Begun, mostAsOf } from "#src/audit/AsOfs.ts"
import { schemaAt, secretColumns } from "#src/audit/asOf.ts"
import { positionWriter, writtenPosition } from "#src/positions.ts"
import { positionIn } from "./positionIn.ts"

const mostRows = 100
/** The most characters of a value that are shown: each of `mostRows` rows has some dozen columns. */
const shown = 500

const places = cursors<readonly [id: string]>(Schema.Tuple([placeId]))

const away = new Problem({
  code: "unavailable/store",
  message: "Read models as of a position can't be looked at at the moment. Send the same request again.",
  retryAfter: 1
})

const orAway = <A, R>(effect: Effect.Effect<A, unknown, R>) => Effect.mapError(effect, () => away)

const inTheWay: { readonly [B in Exclude<Begun, "begun">]: Problem } = {
  there: fieldProblem(
    "conflict/as_of_made",
    "at",
    "There are read models as of this position already: look into them, or drop them first."
  ),
  busy: new Problem({
    code: "conflict/replay_running",
    message: "Others are made, or a replay goes on. Wait until that has ended, or end it."
  }),
  full: new Problem({
    code: "conflict/as_of_full",
    message: `There are read models as of ${mostAsOf} positions, and there may be no more. Drop some of them first.`
  })
}

const none = fieldProblem(
  "not_found/as_of",
  "position",
  "There are no read models as of this position. GET /api/admin/as-of tells those that there are."
)

const notMade = fieldProblem(
  "not_found/as_of",
  "position",
  "The read models as of this position are not made, or not yet: GET /api/admin/as-of tells how far they are."
)

const noTable = fieldProblem("not_found/as_of", "table", "There is no such table as of this position.")

/** The position that a caller means, which must not lie ahead. */
const meant = Effect.fnUntraced(function* (at: string) {
  const { head, eventAt } = yield* EventStore
  if (toldPosition.test(at)) {
    const position = yield* positionIn("at", at)
    const last = yield* orAway(head)
    if (!isAfter(position, last)) {
      if (position === beginning || (yield* orAway(eventAt(position))) !== undefined) return position
      return yield* fieldProblem("validation/invalid_field", "at", "at is no event's position")
    }
    return yield* fieldProblem(
      "validation/invalid_field",
      "at",
      `at lies beyond the log's head; expected a position up to ${yield* writtenPosition(last)}`
    )
  }
  const time = millisecondsOf(at)
  if (time <= (yield* Clock.currentTimeMillis)) return yield* orAway((yield* LogAudit).at(time))
  return yield* fieldProblem("validation/invalid_field", "at", "at lies in the future; expected a time that has been")
})

/** When the last event up to a position was recorded; `null`: there is none. */
const recordedAt = Effect.fnUntraced(function* (position: Position) {
  const store = yield* EventStore
  if (position === beginning) return null
  // not every log can read from a position that no event has
  const [before = beginning] = yield* store.newest({ before: position, limit: 1 })
  const [event] = (yield* store.readAll(before, { limit: 1, factsOnly: true })).events
  return event === undefined || isAfter(event.position, position) ? null : new Date(event.recordedAt).toISOString()
})

const listed = orAway(
  Effect.gen(function* () {
    const tell = yield* positionWriter
    const as_of = yield* Effect.forEach(yield* (yield* AsOfs).all, (one) =>
      Effect.map(recordedAt(one.position), (recorded_at) => ({
        position: tell(one.position),
        recorded_at,
        state: one.state,
        progress: one.progress,
        tables: one.tables,
        fault: one.fault ?? null,
        key_id: one.key ?? null,
        started_at: one.startedAt?.toISOString() ?? null,
        ended_at: one.endedAt?.toISOString() ?? null
      }))
    )
    return { as_of, most: mostAsOf }
  })
)

export const layer = HttpApiBuilder.group(Api, "asOf", (handlers) =>
  handlers
    .handle("asOfs", () => listed)

    .handle("makeAsOf", ({ payload: { at } }) =>
      Effect.gen(function* () {
        const position = yield* meant(at)
        const { key } = yield* Caller
        const begun = yield* orAway((yield* AsOfs).make(position, key))
        if (begun !== "begun") return yield* inTheWay[begun]
        const written = yield* writtenPosition(position)
        const made = (yield* listed).as_of.find((one) => one.position === written)
        return HttpServerResponse.jsonUnsafe(made, { status: 202 })
      })
    )

    .handle("dropAsOf", ({ params }) =>
      Effect.gen(function* () {
        const position = yield* positionIn("position", params.position)
        if (!(yield* orAway((yield* AsOfs).drop(position)))) return yield* none
        return yield* listed
      })
    )

    .handle("asOfRows", ({ params, query: { id, cursor, limit: wanted = 50 } }) =>
      Effect.gen(function* () {
        const position = yield* positionIn("position", params.position)
        const tables = yield* AsOfTables
        const schema = schemaAt(position)
        const limit = Math.min(wanted, mostRows)
        const question = ["as of", position, params.table, id ?? null]
        const [after] = (yield* places.read(question, cursor)) ?? [undefined]
        const copy = (yield* orAway((yield* AsOfs).all)).find((one) => one.position === position)
        if (copy === undefined) return yield* none
        // nobody knows what one that was broken off still holds
        if (copy.state !== "made") return yield* notMade
        const asked = { schema, name: params.table, without: secretColumns, characters: shown, id, after }
        // one row more than the page shows whether there are more
        const seen = yield* orAway(tables.rows({ ...asked, limit: limit + 1 }))
        if (seen === undefined) return yield* noTable
        const next_cursor = seen.ids.length > limit ? places.write(question, [seen.ids[limit - 1]!]) : null
        return { columns: seen.columns, rows: seen.rows.slice(0, limit), next_cursor }
      })
    )
)
