import { Effect } from "effect"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import type { SearchAnswers } from "./answer.ts"
import { type Engine, patience } from "./Engine.ts"
import type { Question } from "./question.ts"

interface Answered {
  readonly status: number
  readonly error?: { readonly type?: string }
}

/**
 * Asks all searches of a question in one request: Elasticsearch runs them side by side, each in the way that suits it.
 * `undefined`: there is no such index.
 */
export const askTogether = Effect.fnUntraced(function* ({ ask }: Engine, alias: string, question: Question) {
  const searches = Object.entries(question)
  const lines = searches.map(
    ([, { header, body }]) =>
      `${JSON.stringify({ ...header, allow_partial_search_results: false })}\n${JSON.stringify(body)}\n`
  )
  const { status, body } = yield* ask<{ readonly responses: ReadonlyArray<Answered> }>({
    method: "POST",
    path: `/${alias}/_msearch`,
    lines: lines.join(""),
    within: patience.search
  })
  if (status === 404) return undefined
  const { responses } = body
  if (responses.some((one) => one.status === 404)) return undefined
  const failed = responses.find(({ error }) => error !== undefined)
  if (failed !== undefined)
    return yield* new IndexUnavailable({
      fault: `Elasticsearch answered a search by ${failed.status} ${failed.error?.type ?? ""}`.trimEnd()
    })
  return Object.fromEntries(searches.map(([name], at) => [name, responses[at]])) as unknown as SearchAnswers
})
