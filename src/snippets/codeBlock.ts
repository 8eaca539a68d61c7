import { Effect } from "effect"
import { idIn } from "#domain/Id.ts"
import { type Scope, sees } from "#domain/Scope.ts"
import { fresh } from "#engine/ask.ts"
import { snippetsNamed } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { KnownSnippets } from "./knownSnippets.ts"

/** The prefix with which decorated functions name themselves. */
const registry = "function_registry:"

/** A caller's name for a piece of code, without that prefix. */
const nameIn = (given: string): string => (given.startsWith(registry) ? given.slice(registry.length) : given)

/** Whether a text can only be meant as an id. */
export const meansId = (given: string): boolean => idIn(given) !== undefined

/** The names that runs of this code may be recorded under, besides the id of the snippet that a name means. */
export const namesOf = (given: string): ReadonlyArray<string> => {
  if (meansId(given)) return [given.toLowerCase()]
  const name = nameIn(given)
  return [...new Set([given, name, registry + name])]
}

/**
 * The snippet that a caller means by its id or its name. Names are looked up in the scope's own homes only, the
 * narrowest first. If a home has several snippets of a name, the newest is meant: it was put to use last.
 */
export const codeBlock = Effect.fnUntraced(function* (scope: Scope, given: string) {
  if (meansId(given)) return yield* (yield* KnownSnippets).seen(scope, given.toLowerCase())
  yield* fresh(Snippets).pipe(Effect.catchTag("Stale", ({ standing }) => Effect.succeed(standing)))
  for (const home of scope.homes) {
    const homonyms = yield* Effect.orDie(snippetsNamed(home, nameIn(given)))
    const newest = homonyms.findLast((one) => sees(scope, one))
    if (newest !== undefined) return newest
  }
  return undefined
})
