import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  Execution,
  ExecutionCommand,
  type ExecutionEvent,
  ExecutionNotFound,
  monthIn,
  type Review
} from "#domain/Execution.ts"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import type { Position } from "#engine/Position.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { Executions, executionOf, executionsByIds, findExecutions } from "#projections/Executions.ts"
import { Api } from "#src/api/Api.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { shownReview } from "#src/api/Review.ts"
import { codeBlock, meansId, namesOf } from "#src/snippets/codeBlock.ts"
import { noReview, review } from "#src/snippets/review.ts"
import { newBoundary } from "#src/snippets/untrusted.ts"
import { commandMetadata, doneBefore, freshOrStale, written } from "./answer.ts"
import { byPortions } from "./answers.ts"
import { shown } from "./Executions/shown.ts"
import { errorsOf, executionFrom, reviewedFrom, voteOf } from "./Executions/told.ts"
import { inPieces } from "./pieces.ts"
import { orProblem } from "./refusals.ts"

const noSnippet = fieldProblem(
  "not_found/snippet",
  "code_block_id",
  "No snippet of this request's scope has this id. Search for it, or check the workspace header; code that is not stored goes by its name."
)

const noModel =
  "No language model is configured, so that nothing was reviewed: set ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL for a compatible server) and start the service again."

const reviewIn = (events: ReadonlyArray<{ readonly event: { readonly _tag: string } }>): Review | null => {
  const reviewed = events.map(({ event }) => event as ExecutionEvent).find(({ _tag }) => _tag === "ExecutionReviewed")
  return reviewed?._tag === "ExecutionReviewed" ? (reviewed.text?.review ?? null) : null
}

export const layer = HttpApiBuilder.group(Api, "executions", (handlers) =>
  handlers
    .handle("recordExecution", ({ payload }) =>
      Effect.gen(function* () {
        const { tenant, user } = yield* Caller
        const scope = yield* CallerScope
        const metadata = yield* commandMetadata
        const execution = derivedId("execution", metadata.commandId)
        const given = payload.code_block_id
        const done = meansId(given) ? undefined : yield* doneBefore
        if (done !== undefined) return yield* answered(execution, done)
        const known = yield* codeBlock(scope, given)
        if (known === undefined && meansId(given)) return yield* noSnippet
        const ids = { execution, home: scope.home, user, agent: scope.agent }
        const named = known === undefined || known.tenant === tenant ? payload : { ...payload, code_block_id: known.id }
        const now = yield* Clock.currentTimeMillis
        const record = executionFrom(named, ids, now)
        const vote = voteOf(record.verdict, scope.home)
        const unstored = dispatch(Execution, {
          tenant,
          stream: `execution-${execution}`,
          ...metadata,
          command: ExecutionCommand.RecordUnstored({ execution: record })
        })
        if (known === undefined) return yield* answered(execution, yield* unstored)
        const { id: snippet } = known
        const stream = `snippet-${snippet}`
        if (known.tenant !== tenant) {
          // what a caller runs code on is none of its publisher's business: the publisher gets the vote alone
          if (vote !== null) {
            const command = SnippetCommand.CastVote({ snippet, voter: user, task: record.text.task, vote })
            const commandId = derivedId("execution_vote", metadata.commandId)
            yield* dispatch(Snippet, { tenant: known.tenant, stream, command, ...metadata, commandId, request: null })
          }
          return yield* answered(execution, yield* unstored, vote !== null)
        }
        const observed = { telemetry: [], errors: errorsOf(record) }
        const command = SnippetCommand.RecordExecution({
          snippet,
          execution: record,
          month: monthIn(now),
          vote,
          observed
        })
        const events = yield* dispatch(Snippet, { tenant, stream, command, ...metadata }).pipe(
          Effect.catchIf(
            ({ _tag }) => _tag !== "Busy" && !meansId(given),
            () => unstored
          )
        )
        return yield* answered(execution, events)
      }).pipe(orProblem)
    )

    .handle("autoReview", ({ payload }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const scope = yield* CallerScope
        const metadata = yield* commandMetadata
        yield* freshOrStale(Executions)
        const execution = yield* Effect.orDie(executionOf(scope, payload.execution_id.toLowerCase()))
        if (execution === undefined) return yield* new ExecutionNotFound({ execution: payload.execution_id })
        const { id, snippet } = execution
        const answer = (success: boolean, message: string, found: Review) => ({
          success,
          execution_id: id,
          message,
          review: shownReview(found)
        })
        if (execution.auto_review !== null) return answer(true, reviewed, execution.auto_review)
        const now = yield* Clock.currentTimeMillis
        if (!(yield* LanguageModel).canBeAsked) return answer(false, noModel, noReview(noModel, now))
        const asked = yield* Effect.result(review(reviewedFrom(payload, execution), newBoundary()))
        if (Result.isFailure(asked)) {
          const why = `The language model gave no review: ${asked.failure.message}`
          return answer(false, why, noReview(why, now))
        }
        const vote = execution.verdict === "pending" ? voteOf(asked.success.verdict, execution.home) : null
        const facts = { execution: id, review: asked.success }
        const by = { tenant, ...metadata, commandId: derivedId("auto_review", id) }
        const events =
          snippet === null
            ? yield* dispatch(Execution, {
                ...by,
                stream: `execution-${id}`,
                command: ExecutionCommand.ReviewUnstored(facts)
              })
            : yield* dispatch(Snippet, {
                ...by,
                stream: `snippet-${snippet}`,
                command: SnippetCommand.ReviewExecution({
                  snippet,
                  ...facts,
                  month: monthIn(execution.recorded_at.getTime()),
                  vote,
                  task: execution.task
                })
              })
        yield* written(events.at(-1)!.position)
        // if two requests review the run, the first review counts
        return answer(true, reviewed, reviewIn(events) ?? asked.success)
      }).pipe(orProblem)
    )

    .handle("executions", ({ payload }) =>
      Effect.gen(function* () {
        const scope = yield* CallerScope
        yield* freshOrStale(Executions)
        const given = payload.code_block_id ?? null
        const known = given === null ? undefined : yield* codeBlock(scope, given)
        const meant = known === undefined ? [] : [known.id]
        const { executions, total } = yield* Effect.orDie(
          findExecutions(scope, {
            codes: given === null ? null : [...namesOf(given), ...meant],
            task: payload.task || null,
            verdict: payload.verdict ?? null,
            limit: payload.limit ?? 20
          })
        )
        const rows = byPortions(executions, (portion) => {
          const scores = new Map(portion.map(({ id, score }) => [id, score]))
          return Effect.map(Effect.orDie(executionsByIds([...scores.keys()])), (found) =>
            found.map((execution) => shown(execution, scores.get(execution.id)!))
          )
        })
        return yield* inPieces({ executions: { rows }, total_found: { value: total } })
      }).pipe(orProblem)
    )
)

const reviewed = "The run is reviewed."

/** The answer about a recorded run, by its events. */
const answered = (
  execution: string,
  events: ReadonlyArray<{ readonly event: { readonly _tag: string }; readonly position: Position }>,
  voted = events.some(({ event }) => event._tag === "VoteCast")
) =>
  Effect.as(written(events.at(-1)!.position), {
    success: true,
    execution_id: execution,
    pattern_updated: voted,
    message: voted ? "The run is recorded, and its verdict counts as a vote." : "The run is recorded."
  })
