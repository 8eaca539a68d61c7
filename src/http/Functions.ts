import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { functionHeld, lineageOf, mostTold } from "#projections/Functions/queries.ts"
import { type Reputation, reputationOf } from "#projections/Functions/reputation.ts"
import { Functions } from "#projections/Functions/tables.ts"
import { snippetsByIds } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import type { FunctionReputation } from "#src/api/Functions.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { Reputations } from "#src/snippets/reputation.ts"
import { freshOrStale } from "./answer.ts"
import { functionPage } from "./functionPage.ts"
import { orProblem } from "./refusals.ts"
import { noSnippet, snippetIn } from "./Snippets/snippetIn.ts"

const notFound = fieldProblem(
  "not_found/function",
  "fingerprint",
  "No snippet of this request's scope holds a function with this fingerprint. Take it from a search with per_function_reputation, and send the same headers as that search."
)

const errorsShown = 5

/** A function's reputation on the wire. */
export const shownFunction = (reputation: Reputation): FunctionReputation => ({
  fingerprint: reputation.fingerprint,
  function_name: reputation.name,
  signature: reputation.signature,
  execution_count: reputation.executions,
  thumbs_up: reputation.up,
  thumbs_down: reputation.down,
  last_success_at: reputation.succeededAt?.toISOString() ?? null,
  last_failure_at: reputation.failedAt?.toISOString() ?? null,
  common_errors: reputation.errors.slice(0, errorsShown).map(({ text }) => text),
  avg_output_size: reputation.averageSize,
  output_completeness: reputation.completeness,
  repeat_call_rate: reputation.repeatRate,
  total_logged_calls: reputation.calls,
  author_agent: reputation.agent,
  reviewed_by_human: reputation.reviewed,
  derived_from: reputation.derivedFrom
})

/** The annotations' links end in `.md`. */
const fingerprintIn = (parameter: string): string | undefined => /^(fn_[0-9a-f]{64})(?:\.md)?$/.exec(parameter)?.[1]

export const layer = HttpApiBuilder.group(Api, "functions", (handlers) =>
  handlers
    .handle("functionHistory", ({ params }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const scope = yield* CallerScope
        const fingerprint = fingerprintIn(params.fingerprint)
        if (fingerprint === undefined) return yield* notFound
        yield* Effect.all([freshOrStale(Functions), freshOrStale(Snippets)], { concurrency: 2 })
        const held = yield* Effect.orDie(functionHeld(tenant, scope, fingerprint))
        const [first] = held
        if (first === undefined) return yield* notFound
        const shown = held.find(({ seen }) => seen) ?? first
        const lineage = yield* Effect.orDie(lineageOf(first.tenant, scope, fingerprint))
        return functionPage(reputationOf(held, shown), held, lineage)
      }).pipe(orProblem)
    )
    .handle("snippetFunctions", ({ params }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const scope = yield* CallerScope
        const id = yield* snippetIn(params.id)
        const [functions, snippets] = yield* Effect.all([freshOrStale(Functions), freshOrStale(Snippets)], {
          concurrency: 2
        })
        const found = (yield* Effect.orDie(snippetsByIds([id]))).map((snippet) => ({ snippet }))
        if (found.length === 0) return yield* noSnippet
        const { bySnippet } = yield* (yield* Reputations).of(tenant, scope, found, snippets, functions, mostTold)
        return { functions: (bySnippet.get(id)?.functions ?? []).map(shownFunction) }
      }).pipe(orProblem)
    )
)
