import { Effect } from "effect"
import { isNear, leastVerdictOffered } from "#domain/search/offered.ts"
import { freshOrOlder } from "#engine/ask.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { portioned } from "#src/portions.ts"
import { Search, type Sight } from "#src/snippets/search.ts"
import { longestShown, type SnippetFound } from "./tools/SearchSnippets.ts"

/** Finds snippets for an agent. Reads them portion by portion, and keeps of each what can be shown. */
export const findSnippets = Effect.fnUntraced(function* (scope: Sight, task: string, topK: number) {
  const { search, read } = yield* Search
  const standing = yield* Effect.orDie(freshOrOlder(Snippets))
  const question = { task, limit: topK, minVerdict: leastVerdictOffered, preferComplete: false }
  const { found, stale } = yield* search(question, scope, standing)
  const all: Array<SnippetFound> = []
  for (const portion of portioned(found.filter(({ match }) => isNear(match)))) {
    for (const { snippet, match, filename } of yield* read(portion, scope)) {
      const { id, name, language, entrypoint, description, source } = snippet
      const shown = source.length > longestShown ? null : source
      all.push({ id, name, language, entrypoint, description, source: shown, score: match.score, near: true, filename })
    }
  }
  return { found: all, stale: stale || standing.stale }
})
