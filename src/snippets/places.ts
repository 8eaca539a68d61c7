import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { LRUCache } from "lru-cache"
import { type Scope, sees } from "#domain/Scope.ts"
import { Asker, type Stale, type Unreadable } from "#engine/ask.ts"
import { type SnippetPlace, snippetPlace } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"

const placesKept = 20_000

/** Where snippets live, for those who vote on them. */
export class Places extends Context.Service<
  Places,
  {
    /**
     * The snippet, if the scope sees it. Where it lives never changes, so what is known may say yes to those who live there; to
     * others it may have been withdrawn since. Only a no is worth waiting for the catalogue; one that is still behind the log can't say it.
     * That a snippet was deleted is for its decider to say.
     */
    readonly seen: (scope: Scope, id: string) => Effect.Effect<SnippetPlace | undefined, Stale | Unreadable>
  }
>()("cairn/Places") {
  static readonly layer = Layer.effect(
    Places,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asker = yield* Asker
      const known = new LRUCache<string, SnippetPlace>({ max: placesKept })

      const look = (id: string) =>
        snippetPlace(id).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.orDie,
          Effect.tap((place) => {
            if (place === undefined) return Effect.void
            return Effect.sync(() => known.set(id, place))
          })
        )

      return Places.of({
        seen: Effect.fnUntraced(function* (scope, id) {
          const visible = (place: SnippetPlace | undefined) => place !== undefined && sees(scope, place)
          const kept = known.get(id)
          if (kept !== undefined && visible(kept) && scope.homes.includes(kept.home)) return kept
          const stored = yield* look(id)
          if (visible(stored)) return stored
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
