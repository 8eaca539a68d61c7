import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { worksIn } from "#domain/access/reach.ts"
import { idIn } from "#domain/Id.ts"
import { ChatRuns, type RunRecord, runsOf } from "#projections/ChatRuns.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, mostListed, type pageQuery, placePosition } from "#src/api/cursor.ts"
import { Caller } from "#src/api/middleware.ts"
import type { ListedRun } from "#src/api/Runs.ts"
import { placesIn } from "#src/positions.ts"
import { unlessErased } from "#src/workspaces/restore.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { erased } from "./Chat/answer.ts"
import { wantsEvents } from "./eventStreams.ts"
import { inPieces } from "./pieces.ts"
import { cancelRun } from "./Runs/cancel.ts"
import { noRun, ownRun, shownRun, stateOf } from "./Runs/own.ts"
import { runEvents, takePlace } from "./Runs/stream.ts"
import { toldTurn, turnsOf } from "./Runs/turns.ts"
import { orProblem } from "./refusals.ts"
import { noWorkspace, own } from "./Workspaces/own.ts"

/** How far a run is, and its answer once it has ended: as JSON, or as events while it goes on. */
const shown = Effect.fnUntraced(function* (given: string) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  if (wantsEvents(headers["accept"])) return yield* Effect.andThen(takePlace, runEvents(given))
  const run = yield* ownRun(given)
  const { workspace, generation } = run.requested
  const telling = Effect.flatMap(shownRun(run), (fields) => inPieces(fields))
  return yield* unlessErased({ id: workspace, generation }, telling, noRun).pipe(
    Effect.catchIf(
      (error) => error === erased,
      () => noRun
    )
  )
})

const places = cursors<readonly [position: number]>(Schema.Tuple([placePosition]))

const listed = ({ id, workspace, progress, ended_at, failure, ...run }: RunRecord): typeof ListedRun.Type => ({
  run_id: id,
  workspace_id: workspace,
  state: ended_at === null ? progress : stateOf(failure),
  failure: failure as (typeof ListedRun.Type)["failure"],
  model: run.model,
  turns: run.turns,
  max_turns: run.max_turns,
  requested_at: run.requested_at.toISOString(),
  ended_at: ended_at?.toISOString() ?? null,
  task: run.task
})

/** A page of the chats in the caller's own workspace, even before its first chat has ended. */
const list = Effect.fnUntraced(function* (given: string, page: typeof pageQuery.Type) {
  const holder = yield* Caller
  const { tenant } = holder
  const workspace = idIn(given)
  if (workspace === undefined) return yield* noWorkspace
  yield* freshOrStale(ChatRuns)
  const asked = ["runs", tenant, workspace, ...(yield* placesIn)]
  const [before] = (yield* places.read(asked, page.cursor)) ?? [null]
  const limit = page.limit ?? mostListed
  const found = yield* Effect.orDie(runsOf(tenant, workspace, before, limit + 1))
  // its runs name its user: until the first chat has ended, there may be no workspace yet
  const [first] = found
  if (first === undefined) yield* own(given)
  else if (!worksIn(holder, { id: workspace, user: first.user_id })) return yield* noWorkspace
  const last = found[limit - 1]
  return {
    runs: found.slice(0, limit).map(listed),
    next_cursor: found.length > limit ? places.write(asked, [Number(last!.position)]) : null
  }
})

/** Cancels the caller's own run. */
const cancel = Effect.fnUntraced(function* (given: string) {
  const { id, requested } = yield* ownRun(given)
  const position = yield* cancelRun(id, requested.workspace, yield* commandMetadata)
  yield* written(position)
  return { success: true, run_id: id, workspace_id: requested.workspace }
})

export const layer = HttpApiBuilder.group(Api, "runs", (handlers) =>
  handlers
    .handle("run", ({ params }) => orProblem(shown(params.id)))
    .handle("turns", ({ params }) => orProblem(turnsOf(params.id)))
    .handle("turn", ({ params }) => orProblem(toldTurn(params.id, params.turn)))
    .handle("listRuns", ({ params, query }) => list(params.id, query))
    .handle("cancel", ({ params }) => orProblem(cancel(params.id)))
)
