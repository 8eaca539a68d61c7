import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { annotating } from "#domain/functions/annotate.ts"
import type { Scope } from "#domain/Scope.ts"
import type { Standing } from "#engine/ask.ts"
import { inSteps } from "#engine/pages.ts"
import { functionsHeld, type Held } from "#projections/Functions/queries.ts"
import { type Reputation, reputationOf } from "#projections/Functions/reputation.ts"

/** A snippet with what is known of its functions. */
export interface Reputed {
  /** In the source's order; none if their reputation is not kept, or if better matches have very many. */
  readonly functions: ReadonlyArray<Reputation>
  /** The source, with a comment line above each of these functions. */
  readonly source: string
}

/** A snippet that was found. */
interface Sourced {
  readonly id: string
  readonly source: string
  readonly language: string
}

interface Answer {
  readonly bySnippet: ReadonlyMap<string, Reputed>
  /** Whether it came from memory: the same snippets were asked for before, and nothing has changed since. */
  readonly cacheHit: boolean
}

const answersKept = 500
/** Most characters in all kept answers. */
const charactersKept = 16_000_000

const lengthOf = ({ source, functions }: Reputed): number =>
  functions.reduce(
    (sum, { name, signature, errors }) =>
      sum + 500 + name.length + signature.length + errors.reduce((all, { text }) => all + text.length, 0),
    source.length
  )

const keyOf = ({ tenant, fingerprint }: Held) => `${tenant}/${fingerprint}`

/** In steps: a file may have hundreds of functions, each with the errors of a hundred snippets. */
function* reputed(
  { source, language }: Sourced,
  mine: ReadonlyArray<Held>,
  all: ReadonlyMap<string, Array<Held>>
): Generator<unknown, Reputed> {
  const known: Array<{ readonly line: number | null; readonly reputation: Reputation }> = []
  for (const held of mine.toSorted((a, b) => a.place - b.place)) {
    const counted = all.get(keyOf(held)) ?? []
    const reputation = reputationOf(held.counted ? counted : [...counted, held], held)
    known.push({ line: held.line, reputation })
    yield
  }
  const notes = known.flatMap(({ line, reputation }) => {
    if (line === null) return []
    const { fingerprint, up, down, calls, errors } = reputation
    return [{ fingerprint, commentLine: line, thumbsUp: up, thumbsDown: down, calls, errors: byType(errors) }]
  })
  return {
    functions: known.map(({ reputation }) => reputation),
    source: yield* annotating(source, language, notes)
  }
}

/** Counts errors by type: a comment line has room for what went wrong, not for what it said. */
const byType = (errors: Reputation["errors"]) => {
  const counts = new Map<string, number>()
  for (const { type, count } of errors) counts.set(type, (counts.get(type) ?? 0) + count)
  return [...counts].map(([text, count]) => ({ text, count })).sort((a, b) => b.count - a.count)
}

/**
 * What is known of the functions of snippets. The caller has waited for both read models, and says where they stand.
 */
export class Reputations extends Context.Service<
  Reputations,
  {
    /** The functions of snippets that a search with the scope found; `tenant` is the caller's. */
    readonly of: (
      tenant: string,
      scope: Scope,
      found: ReadonlyArray<{ readonly snippet: Sourced }>,
      snippets: Standing,
      functions: Standing,
      /** How many functions are told at most: all functions of each of the first snippets. */
      most: number
    ) => Effect.Effect<Answer>
  }
>()("cairn/Reputations") {
  static readonly layer = Layer.effect(
    Reputations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const answers = new Map<string, Answer["bySnippet"]>()
      let characters = 0
      let answersAt = ""

      const look = Effect.fnUntraced(function* (
        tenant: string,
        scope: Scope,
        snippets: ReadonlyArray<Sourced>,
        most: number
      ) {
        const ids = snippets.map(({ id }) => id)
        const held = yield* Effect.orDie(
          Effect.provideService(functionsHeld(tenant, scope, ids, most), SqlClient.SqlClient, sql)
        )
        const all = new Map<string, Array<Held>>()
        const inSnippet = new Map<string, Array<Held>>()
        const put = (groups: Map<string, Array<Held>>, key: string, one: Held): void => {
          const group = groups.get(key)
          if (group === undefined) groups.set(key, [one])
          else group.push(one)
        }
        for (const one of held) {
          if (one.told) put(inSnippet, one.snippet, one)
          if (one.counted) put(all, keyOf(one), one)
        }
        const found = new Map<string, Reputed>()
        for (const snippet of snippets)
          found.set(snippet.id, yield* inSteps(reputed(snippet, inSnippet.get(snippet.id) ?? [], all)))
        return found
      })

      return Reputations.of({
        of: Effect.fnUntraced(function* (tenant, scope, found, { changed }, functions, most) {
          const at = `${changed} ${functions.changed}`
          if (at !== answersAt) {
            answers.clear()
            characters = 0
            answersAt = at
          }
          const snippets = found.map(({ snippet }) => snippet)
          const { homes, includePublic, agent } = scope
          const name = JSON.stringify([tenant, homes, includePublic, agent, snippets.map(({ id }) => id), most])
          const before = answers.get(name)
          if (before !== undefined) return { bySnippet: before, cacheHit: true }
          const bySnippet = yield* look(tenant, scope, snippets, most)
          const size = [...bySnippet.values()].reduce((sum, one) => sum + lengthOf(one), 0)
          if (at === answersAt && answers.size < answersKept && characters + size <= charactersKept) {
            answers.set(name, bySnippet)
            characters += size
          }
          return { bySnippet, cacheHit: false }
        })
      })
    })
  )
}
