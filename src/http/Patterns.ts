import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { leastVerdictOffered } from "#domain/search/offered.ts"
import { verdict } from "#domain/search/score.ts"
import { similarity, taskTerms } from "#domain/search/taskTerms.ts"
import { type Executed, Executions, executionsByIds, lastCompleted } from "#projections/Executions.ts"
import { findPatterns, type Pattern, type PatternPlace, Patterns } from "#projections/Patterns.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, placeCount, placeId, placeTime } from "#src/api/cursor.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import type { FewShotExamples, FewShotRequest, TaskPatternsRequest } from "#src/api/Patterns.ts"
import { codeBlock } from "#src/snippets/codeBlock.ts"
import { type FoundSnippet, noteAnswer } from "#src/snippets/search.ts"
import { freshOrStale, searched, shownFound, staleIn } from "./answer.ts"
import { objectOf } from "./Executions/shown.ts"
import { inPieces, values } from "./pieces.ts"
import { orProblem } from "./refusals.ts"

const shown = ({ task, snippet, name, up, down, last_up, last_down }: Pattern) => ({
  task_pattern: task,
  code_block_id: snippet,
  code_block_name: name,
  thumbs_up: up,
  thumbs_down: down,
  last_thumbs_up: last_up?.toISOString() ?? null,
  last_thumbs_down: last_down?.toISOString() ?? null,
  verdict_score: verdict(up, down)
})

type Example = (typeof FewShotExamples.Type)["examples"][number]

/** An example's task: that of its run, otherwise the snippet's own task that is most like the one asked for. */
const taskOf = (asked: string, queries: ReadonlyArray<string>, run: Executed | undefined): string => {
  if (run !== undefined && run.task !== "") return run.task
  const terms = taskTerms(asked)
  const ranked = queries.map((query) => ({ query, score: similarity(terms, taskTerms(query)) }))
  return ranked.sort((a, b) => b.score - a.score)[0]?.query ?? asked
}

const places = cursors<PatternPlace>(Schema.Tuple([Schema.Finite, placeCount, placeCount, placeTime, placeId]))

/** Which snippet helped with which task, in the request's scope. */
export const taskPatterns = Effect.fnUntraced(function* (payload: typeof TaskPatternsRequest.Type) {
  const scope = yield* CallerScope
  yield* Effect.all([freshOrStale(Patterns), freshOrStale(Snippets)], { concurrency: 2 })
  const given = payload.code_block_id ?? null
  const task = payload.task || null
  const minimumUp = payload.min_thumbs_up ?? 0
  const limit = payload.top_k ?? 20
  const asked = ["patterns", scope.homes, scope.includePublic, scope.agent, task, given, minimumUp]
  const after = yield* places.read(asked, payload.cursor)
  const known = given === null ? undefined : yield* codeBlock(scope, given)
  if (given !== null && known === undefined) return { patterns: [], next_cursor: null }
  const found = yield* Effect.orDie(
    findPatterns(scope, { task, snippet: known?.id ?? null, minimumUp, limit: limit + 1, after })
  )
  const patterns = found.slice(0, limit)
  const last = patterns.at(-1)
  const more = found.length > limit && last !== undefined
  return {
    patterns: patterns.map(shown),
    next_cursor: more
      ? places.write(asked, [last.similarity, last.up, last.down, last.last.getTime(), last.digest])
      : null
  }
}, orProblem)

/** Examples for a task: snippets and their last runs, each read when it is asked for, as fields for `inPieces`. */
export const fewShotExamples = Effect.fnUntraced(function* ({ task, k }: typeof FewShotRequest.Type) {
  const scope = yield* CallerScope
  const [standing, executions] = yield* Effect.all([freshOrStale(Snippets), freshOrStale(Executions)], {
    concurrency: 2
  })
  const question = { task, limit: k ?? 3, minVerdict: leastVerdictOffered, preferComplete: false }
  const answer = yield* searched(question, scope, standing)
  yield* noteAnswer(yield* Caller, scope, task, answer, yield* Clock.currentTimeMillis)
  const ids = answer.found.map(({ id }) => id)
  const runs = new Map((yield* Effect.orDie(lastCompleted(scope, ids))).map((run) => [run.code, run]))
  const found = answer.found.map((one) => ({ ...one, bytes: one.bytes + (runs.get(one.id)?.bytes ?? 0) }))
  const shown = Effect.fnUntraced(function* (read: ReadonlyArray<FoundSnippet>) {
    const executed = yield* Effect.orDie(executionsByIds(read.flatMap(({ id }) => runs.get(id)?.id ?? [])))
    const byCode = new Map(executed.map((run) => [run.code, run]))
    return read.map(({ snippet }): Example => {
      const run = byCode.get(snippet.id)
      return {
        // the tasks of somebody else's snippet are not told
        task: taskOf(task, scope.homes.includes(snippet.home) ? snippet.example_queries : [], run),
        input_sample: run === undefined ? {} : objectOf(run.input),
        output_sample: (run?.output ?? null) as Schema.Json,
        code_snippet: snippet.source
      }
    })
  })
  const stale = answer.stale || executions.stale
  return { examples: { rows: shownFound(found, scope, shown) }, ...values(staleIn(stale)) }
})

export const layer = HttpApiBuilder.group(Api, "patterns", (handlers) =>
  handlers
    .handle("taskPatterns", ({ payload }) => taskPatterns(payload))

    .handle("fewShotExamples", ({ payload }) => Effect.flatMap(fewShotExamples(payload), inPieces).pipe(orProblem))
)
