import { Clock, Effect } from "effect"
import type { Look } from "#engine/ask.ts"
import { mostTold } from "#projections/Functions/queries.ts"
import { Functions } from "#projections/Functions/tables.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import type { SearchRequest } from "#src/api/Snippets/search.ts"
import { bytesOf, slice } from "#src/portions.ts"
import { Reputations } from "#src/snippets/reputation.ts"
import { type FoundSnippet, noteAnswer, Search } from "#src/snippets/search.ts"
import { freshOrStale, searched, shownFound, staleIn } from "../answer.ts"
import { shownComments } from "../Comments/shown.ts"
import { values } from "../pieces.ts"
import { kindsOf, matchOf, namespacesOf } from "./match.ts"

/**
 * Finds snippets, and notes in the log what it found. `matches` come portion by portion, each read when it is asked
 * for. `answer` is the whole answer, for `inPieces`; a small one comes as `small`, too, for `inOnePiece`. The search
 * sees what was written before the look that was `seen`, or before the call.
 */
export const search = Effect.fnUntraced(function* (payload: typeof SearchRequest.Type, seen?: Look) {
  const holder = yield* Caller
  const scope = yield* CallerScope
  const reputations = yield* Reputations
  const reputed = payload.per_function_reputation === true
  const [standing, functions] = yield* Effect.all(
    [freshOrStale(Snippets, seen), reputed ? freshOrStale(Functions, seen) : Effect.undefined],
    { concurrency: 2 }
  )
  const question = {
    task: payload.task,
    limit: payload.top_k ?? 5,
    minVerdict: payload.min_verdict_score ?? 0.3,
    minHumanUp: payload.min_human_upvotes ?? 0,
    preferComplete: payload.prefer_complete ?? false,
    ...(payload.explain === true ? { explain: true } : {}),
    ...kindsOf(payload),
    inputSchema: payload.input_schema ?? undefined
  }
  const answered = yield* searched(question, scope, standing)
  yield* noteAnswer(holder, scope, payload.task, answered, yield* Clock.currentTimeMillis)
  const { found, total, fallback } = answered
  const stale = answered.stale || functions?.stale === true
  const mended = Array.from(answered.mended, ([asked, found]) => ({ asked, found }))
  let fromMemory = answered.cacheHit
  let room = mostTold
  const shown = Effect.fnUntraced(function* (read: ReadonlyArray<FoundSnippet>) {
    const comments = yield* shownComments(
      holder.tenant,
      scope,
      read.map(({ snippet }) => snippet)
    )
    const known =
      functions === undefined ? undefined : yield* reputations.of(holder.tenant, scope, read, standing, functions, room)
    for (const { functions } of known?.bySnippet.values() ?? []) room -= functions.length
    if (known?.cacheHit === false) fromMemory = false
    return read.map((one, index) => matchOf(scope, one, comments[index]!, known?.bySnippet.get(one.id)))
  })
  const matches = shownFound(found, scope, shown)
  const said = { ...(fallback && { fallback }), ...staleIn(stale) }
  const rest = { search_namespaces: namespacesOf(holder, scope), mended, ...said }
  const answer = {
    matches: { rows: matches },
    total_found: { value: total },
    cache_hit: { later: () => fromMemory },
    ...values(rest)
  }
  const isSmall = functions === undefined && payload.explain !== true && bytesOf(found) <= slice / 2
  const atOnce = Effect.flatMap(Search, ({ read }) => Effect.flatMap(read(found, scope), shown))
  const small = isSmall
    ? Effect.map(atOnce, (matches) => ({ matches, total_found: total, cache_hit: fromMemory, ...rest }))
    : undefined
  return { matches, total, mended, fallback, stale, answer, small }
})
