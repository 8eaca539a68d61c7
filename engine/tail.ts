import { Cause, Context, Deferred, Effect, Layer, Option, PubSub, type Scope } from "effect"
import {
  EventStore,
  type Page,
  type PageLook,
  type ReadAll,
  type ReadStream,
  type StoreUnavailable
} from "#engine/ports/EventStore.ts"
import { beginning, isAfter, latest, type Position } from "./Position.ts"
import { saying } from "./saying.ts"

type Filters = Omit<ReadAll, "limit" | "bytes">

/** Pages that are kept for other readers at the same place until the log is looked at again. */
const shared = 64

/**
 * Tenants whose newest events are remembered. With more, all is forgotten, and a reader that is behind reads once more
 * than needed.
 */
const mostTenants = 10_000

/** Seconds after which the log is looked at without a hint: one may be lost. */
const mostQuiet = 10

/**
 * The end of the log, looked at once for all followers: reactions, and readers of events. Each look tells which tenants
 * have new events of which types, and followers that need the same page at the same time share one read. While nobody
 * follows, nothing is looked at.
 */
export class Tail extends Context.Service<
  Tail,
  {
    /**
     * Follows the log for as long as the scope lives: the subscription gets a message after each look, and each second.
     */
    readonly join: Effect.Effect<PubSub.Subscription<void>, StoreUnavailable, Scope.Scope>
    /** How far the log was looked at. */
    readonly reached: () => Position
    /**
     * Whether there may be events after a position that match the filters; always `true` if the position lies before
     * what is remembered.
     */
    readonly concerns: (after: Position, filters: Filters) => boolean
    /** A page after a position, as `EventStore.readAll` gives it; readers of the same page share it. */
    readonly page: (
      after: Position,
      filters: Filters,
      size: ReadStream & PageLook
    ) => Effect.Effect<Page, StoreUnavailable>
  }
>()("engine/Tail") {
  static readonly layer = Layer.effect(
    Tail,
    Effect.gen(function* () {
      const store = yield* EventStore
      const scope = yield* Effect.scope
      const news = yield* PubSub.sliding<void>(1)
      let followers = 0
      /** After this position, `ofAll` and `ofTenants` know every event up to `to`. */
      let from = beginning
      let to = beginning
      /** The last event's position, by type and by tenant and type. */
      const ofAll = new Map<string, Position>()
      const ofTenants = new Map<string, Map<string, Position>>()
      const pages = new Map<string, Deferred.Deferred<Page, StoreUnavailable>>()

      const forget = (head: Position) => {
        ofAll.clear()
        ofTenants.clear()
        from = head
      }

      const look = Effect.gen(function* () {
        const { head, kinds } = yield* store.since(to)
        for (const { tenant, type, last } of kinds) {
          ofAll.set(type, latest(last, ofAll.get(type) ?? last))
          const types = ofTenants.get(tenant) ?? new Map<string, Position>()
          ofTenants.set(tenant, types.set(type, last))
        }
        if (ofTenants.size > mostTenants) forget(head)
        to = head
        pages.clear()
      })

      const hints = yield* store.hints
      /** Seconds until the log is looked at without a hint; 0 after a look that failed. */
      let due = mostQuiet
      const { say, over } = saying()
      const lookAgain = Effect.matchCauseEffect(look, {
        // whatever failed: if the looks ended, every follower would stop
        onFailure: (cause) => {
          due = 0
          return Cause.hasDies(cause)
            ? say(cause, Effect.logError("the end of the log can't be looked at", cause))
            : Effect.void
        },
        onSuccess: () => {
          due = mostQuiet
          return over(Effect.void)
        }
      })
      const step = (hinted: Option.Option<unknown>) => {
        due -= 1
        if (followers === 0) {
          // a follower may be joining with a head from before this hint: look at the next step
          due = 0
          return Effect.void
        }
        const looked = due <= 0 || Option.isSome(hinted) ? lookAgain : Effect.void
        return Effect.andThen(looked, PubSub.publish(news, undefined))
      }
      // even without a hint, followers have to see to other things
      const hinted = Effect.timeoutOption(PubSub.takeAll(hints), "1 second")
      yield* Effect.forkScoped(Effect.forever(Effect.flatMap(hinted, step)))

      /** The first follower begins at the log's end as it is then. */
      const begin = Effect.gen(function* () {
        if (followers === 0) {
          const head = yield* store.head
          if (followers === 0) {
            forget(head)
            pages.clear()
            to = head
          }
        }
        followers += 1
      })

      const concerns = (after: Position, { tenant, types }: Filters): boolean => {
        if (isAfter(from, after)) return true
        const seen = tenant === undefined ? ofAll : ofTenants.get(tenant)
        return (types ?? [...(seen?.keys() ?? [])]).some((type) => isAfter(seen?.get(type) ?? beginning, after))
      }

      return Tail.of({
        join: Effect.gen(function* () {
          const mine = yield* PubSub.subscribe(news)
          yield* Effect.acquireRelease(begin, () => Effect.sync(() => void (followers -= 1)))
          return mine
        }),
        reached: () => to,
        concerns,
        page: Effect.fnUntraced(function* (after: Position, filters: Filters, size: ReadStream & PageLook) {
          const look = { ...filters, ...size }
          const parts = Object.entries(look).sort(([one], [other]) => (one < other ? -1 : 1))
          const name = JSON.stringify([after, parts])
          const known = pages.get(name)
          if (known !== undefined) return yield* Deferred.await(known)
          const read = store.readAll(after, look)
          if (pages.size >= shared) return yield* read
          // the first reader may leave before the others have the page, but not while it begins the read
          const page = yield* Effect.gen(function* () {
            const page = yield* Deferred.make<Page, StoreUnavailable>()
            pages.set(name, page)
            // a reader that asks after a failure reads anew
            const forgotten = Effect.onError(read, () =>
              Effect.sync(() => {
                if (pages.get(name) === page) pages.delete(name)
              })
            )
            yield* Effect.forkIn(Deferred.into(forgotten, page), scope)
            return page
          }).pipe(Effect.uninterruptible)
          return yield* Deferred.await(page)
        })
      })
    })
  )
}
