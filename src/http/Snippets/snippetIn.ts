import { Effect } from "effect"
import { idIn } from "#domain/Id.ts"
import { CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { KnownSnippets } from "#src/snippets/knownSnippets.ts"

/** The answer when a request's path names no snippet that the caller sees. */
export const noSnippet = fieldProblem(
  "not_found/snippet",
  "id",
  "No snippet of this request's scope has this id. Search for it, or check the workspace header."
)

/** The id of the snippet that a request's path names, as the log has it; fails if the caller sees no such snippet. */
export const snippetIn = Effect.fnUntraced(function* (given: string) {
  const id = idIn(given)
  if (id === undefined || (yield* (yield* KnownSnippets).seen(yield* CallerScope, id)) === undefined)
    return yield* noSnippet
  return id
})
