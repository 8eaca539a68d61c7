import { Context, Effect, HashMap, Layer, Option, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { Bounds, type BoundsOf, type BoundsState, unbounded } from "#domain/Bounds.ts"
import { type StorageBoundReached, storageRefusal } from "#domain/bounded.ts"
import { Asker, longPatience } from "#engine/ask.ts"
import { Busy } from "#engine/decide.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { storedBy, thoseThere } from "#projections/Consumption/stored.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { remembered } from "#src/remembered.ts"

const tenantsKept = 10_000

/** What a caller is about to store. */
export interface More {
  /** For each snippet, the ids that it may have: if one of them is stored already, the snippet takes no room. */
  readonly snippets: ReadonlyArray<ReadonlyArray<string>>
  /** Bytes that a commit adds to a workspace; `null`: some, and nobody knows yet how many. */
  readonly bytes: number | null
}

/** That many bytes more, and no snippets; `null`: nobody knows yet how many. */
export const bytesMore = (bytes: number | null) => Effect.succeed<More>({ snippets: [], bytes })

export interface Storing<E> {
  readonly tenant: string
  /** `null`: no key acts. */
  readonly key: string | null
  /** Worked out only if something is bounded. */
  readonly more: Effect.Effect<More, E>
}

/** Holds what tenants and keys store within their bounds. */
export class Storage extends Context.Service<
  Storage,
  {
    /** Fails if it may not be stored as things stand; with `Busy` if that can't be found out in time. */
    readonly check: <E>(storing: Storing<E>) => Effect.Effect<void, E | StorageBoundReached | Busy>
    /**
     * Stores something if there is room for it. If a tenant is bounded, all that it stores is checked and written one
     * after the other, in whichever processes, so requests that come at once can't pass a bound together.
     */
    readonly within: <A, E, R, E2>(
      storing: Storing<E2>,
      store: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | E2 | StorageBoundReached | Busy, R>
  }
>()("cairn/Storage") {
  static readonly layer = Layer.effect(
    Storage,
    Effect.gen(function* () {
      const dispatcher = yield* Dispatcher
      const asker = yield* Asker
      const sql = yield* SqlClient.SqlClient
      const { claim } = yield* Claims
      /** One semaphore for each tenant that is bounded. */
      const turns = new Map<string, Semaphore.Semaphore>()

      const known = remembered<BoundsState>("bounds", tenantsKept)
      const inLog = (tenant: string) => dispatcher.state(Bounds, `bounds-${tenant}`)
      /** The bounds as of the last look at the log: every request looks at it, and most tenants never have bounds. */
      const lastSeen = (tenant: string) =>
        Effect.flatMap(asker.seen("BoundsSet"), (last) => known(last, tenant, inLog(tenant)))

      /** The bounds of the tenant and of the key that limit what is stored. */
      const ofStorage = (state: BoundsState, key: string | null) => {
        const said = (of: string | null): ReadonlyArray<readonly [string | null, BoundsOf]> => {
          const bounds = Option.getOrElse(HashMap.get(state, of ?? ""), () => unbounded)
          return bounds.snippets === null && bounds.repositoryBytes === null ? [] : [[of, bounds]]
        }
        return [...said(null), ...(key === null ? [] : said(key))]
      }

      const countOf = Effect.fnUntraced(function* ({ snippets, bytes }: More) {
        if (snippets.length === 0) return { snippets: 0, bytes }
        const there = yield* thoseThere(snippets.flat())
        const absent = snippets.filter((ids) => !ids.some((id) => there.has(id)))
        // a snippet that is sent twice is stored once
        return { snippets: new Set(absent.map(([first]) => first)).size, bytes }
      })

      const checkBy = Effect.fnUntraced(
        function* <E>(
          bounds: ReadonlyArray<readonly [string | null, BoundsOf]>,
          { tenant, more: working }: Storing<E>
        ) {
          const given = yield* working
          const refused = Effect.gen(function* () {
            yield* asker.fresh(Consumption, longPatience)
            const more = yield* countOf(given)
            for (const [key, one] of bounds) {
              const stored = yield* storedBy(tenant, key)
              const of = key === null ? "tenant" : "key"
              const refusal = storageRefusal(of, one, stored, more)
              if (refusal !== undefined) return refusal
            }
            return undefined
          })
          const refusal = yield* Effect.mapError(refused, () => new Busy())
          if (refusal !== undefined) return yield* refusal
        },
        Effect.provideService(SqlClient.SqlClient, sql)
      )

      const turnOf = (tenant: string) => {
        const turn = turns.get(tenant) ?? Semaphore.makeUnsafe(1)
        turns.set(tenant, turn)
        return turn
      }

      return Storage.of({
        check: (storing) =>
          Effect.flatMap(lastSeen(storing.tenant), (state) => {
            const bounds = ofStorage(state, storing.key)
            return bounds.length === 0 ? Effect.void : checkBy(bounds, storing)
          }),
        within: (storing, store) =>
          Effect.gen(function* () {
            const { tenant, key } = storing
            const bounds = Effect.map(inLog(tenant), (state) => ofStorage(state, key))
            const first = yield* bounds
            if (first.length === 0) return yield* store
            const inTurn = claim(`storage-${tenant}`).pipe(
              // another bound may have been set while this request waited for its turn
              Effect.andThen(bounds),
              Effect.flatMap((now) => (now.length === 0 ? Effect.void : checkBy(now, storing))),
              Effect.andThen(store)
            )
            return yield* turnOf(tenant).withPermits(1)(Effect.scoped(inTurn))
          })
      })
    })
  )

  /** For the operator's own commands, which nothing bounds. */
  static readonly unbounded = Layer.succeed(Storage, {
    check: () => Effect.void,
    within: (_, store) => store
  })
}
