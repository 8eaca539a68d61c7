import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { ReplayRecord } from "#ports/ReplayRecords.ts"
import { Api } from "#src/api/Api.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { Replays } from "#src/audit/Replays.ts"
import { positionWriter } from "#src/positions.ts"
import { projections } from "#src/readModels.ts"

const running = new Problem({
  code: "conflict/replay_running",
  message: "Another replay goes on. Wait until it has ended, or cancel it: GET /api/admin/replays tells how far it is."
})

const noneRuns = new Problem({
  code: "not_found/replay",
  message: "No replay of this read model goes on: it has ended, or there was none."
})

const away = new Problem({
  code: "unavailable/store",
  message: "Replays can't be looked at at the moment. Send the same request again.",
  retryAfter: 1
})

const named = (name: string) => {
  const found = projections.find((projection) => projection.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const message = `There is no such read model. There are: ${projections.map(({ name }) => name).join(", ")}.`
  return Effect.fail(fieldProblem("not_found/read_model", "read_model", message))
}

/** How far a replay is, from 0 to 1; `null`: unknown. */
const progressOf = ({ position, goal, state }: ReplayRecord): number | null => {
  if (state === "done") return 1
  return position === null || goal === null || goal === 0 ? null : Math.min(1, position / goal)
}

const listed = Effect.gen(function* () {
  const tell = yield* positionWriter
  const found = yield* Effect.mapError((yield* Replays).all, () => away)
  const replays = found.map((record) => ({
    read_model: record.name,
    promote: record.promote,
    state: record.state,
    position: record.position === null ? null : tell(record.position),
    goal: record.goal === null ? null : tell(record.goal),
    progress: progressOf(record),
    events: record.events,
    differences: record.differences,
    fault: record.fault,
    key_id: record.key,
    started_at: record.startedAt.toISOString(),
    ended_at: record.endedAt?.toISOString() ?? null
  }))
  return { replays }
})

export const layer = HttpApiBuilder.group(Api, "replays", (handlers) =>
  handlers
    .handle("replays", () => listed)

    .handle("replay", ({ payload: { read_model, promote } }) =>
      Effect.gen(function* () {
        const projection = yield* named(read_model)
        const { key } = yield* Caller
        const { begin } = yield* Replays
        if (!(yield* Effect.mapError(begin(projection, promote ?? false, key), () => away))) return yield* running
        const { replays } = yield* listed
        const begun = replays.find((one) => one.read_model === projection.name)
        return HttpServerResponse.jsonUnsafe(begun, { status: 202 })
      })
    )

    .handle("cancelReplay", ({ payload: { read_model } }) =>
      Effect.gen(function* () {
        const projection = yield* named(read_model)
        const { cancel } = yield* Replays
        if (!(yield* Effect.mapError(cancel(projection), () => away))) return yield* noneRuns
        return yield* listed
      })
    )
)
