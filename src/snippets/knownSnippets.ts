import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Scope, sees } from "#domain/Scope.ts"
import { Asker, type Stale, type Unreadable } from "#engine/ask.ts"
import { atMost, CountedCache } from "#ports/CountedCache.ts"
import { type KnownSnippet, knownSnippet } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"

/** How many snippets' homes are kept. */
const mostKept = 20_000

/** Where snippets live, for callers that vote on them. */
export class KnownSnippets extends Context.Service<
  KnownSnippets,
  {
    /**
     * The snippet, if the scope sees it. Where it lives never changes, so a scope with its home gets it as it is known;
     * for other scopes it may have been withdrawn since, so their yes waits for the catalogue, as every no does. If the
     * catalogue stays behind the log, a no fails. Whether a snippet was deleted is for its decider to say.
     */
    readonly seen: (scope: Scope, id: string) => Effect.Effect<KnownSnippet | undefined, Stale | Unreadable>
  }
>()("cairn/KnownSnippets") {
  static readonly layer = Layer.effect(
    KnownSnippets,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asker = yield* Asker
      const kept = new CountedCache<KnownSnippet>("snippets", atMost(mostKept))

      const look = (id: string) =>
        knownSnippet(id).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.orDie,
          Effect.tap((found) => {
            if (found === undefined) return Effect.void
            return Effect.sync(() => kept.set(id, found))
          })
        )

      return KnownSnippets.of({
        seen: Effect.fnUntraced(function* (scope, id) {
          const visible = (one: KnownSnippet | undefined) => one !== undefined && sees(scope, one)
          const before = kept.get(id)
          if (before !== undefined && visible(before) && scope.homes.includes(before.home)) return before
          const stored = yield* look(id)
          if (stored !== undefined && visible(stored) && scope.homes.includes(stored.home)) return stored
          const waited = yield* Effect.exit(asker.fresh(Snippets))
          const fresh = yield* look(id)
          if (visible(fresh)) return fresh
          yield* waited
          return undefined
        })
      })
    })
  )
}
