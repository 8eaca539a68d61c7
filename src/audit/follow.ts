import { Clock, Effect, PubSub, Stream } from "effect"
import type { Operation } from "#domain/access/operations.ts"
import { isAfter, latest, type Position } from "#engine/Position.ts"
import {
  EventStore,
  type Page,
  type PageLook,
  type ReadAll,
  type StoredEvent,
  type StoreUnavailable
} from "#engine/ports/EventStore.ts"
import { Tail } from "#engine/tail.ts"
import { Closing } from "#src/closing.ts"
import { liveness } from "#src/liveness.ts"

/** Events that are read at once, and about how many bytes: a slow reader makes the service hold that much. */
const page = { limit: 32, bytes: 64 * 1024 }
/** Milliseconds without news after which a reader is told `Silence`. */
const silence = 15_000
/** Any append wakes every reader: how long to wait for more of them. */
const pause = "20 millis"

/**
 * Why nothing more comes. `revoked`: the key is no longer valid, or may not do this any more. `stopping`: the service
 * stops. `unavailable`: the service's store does not answer.
 */
export type Ending = "revoked" | "stopping" | "unavailable"

/** What a reader is told: new events, that there were none for a while, or why nothing more comes. */
export type News =
  | { readonly _tag: "Events"; readonly events: ReadonlyArray<StoredEvent> }
  | { readonly _tag: "Silence" }
  | { readonly _tag: "End"; readonly why: Ending }

interface State {
  /** All that concerns the reader was told up to here. */
  readonly after: Position
  /** Milliseconds since the epoch. */
  readonly saidAt: number
  readonly ended: boolean
}

/**
 * Follows the log after a position, for as long as a key may do this operation and the service runs. Reads a page when
 * the reader has taken the one before, and gives it out only if the key is still live after the read. Each read goes
 * through `reading`, which may first look at the page and wait before it reads.
 */
export const follow = <E, R>(
  key: string,
  operation: Operation,
  after: Position,
  filters: Omit<ReadAll, "limit" | "bytes">,
  reading: (read: (look: PageLook) => Effect.Effect<Page, StoreUnavailable>) => Effect.Effect<Page, E, R>
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const store = yield* EventStore
      const closing = yield* Closing
      const tail = yield* Tail
      const looks = yield* tail.join
      const joined = tail.reached()
      const isLive = liveness(key, operation)

      const end = (state: State, why: Ending): readonly [News, State] => [
        { _tag: "End", why },
        { ...state, ended: true }
      ]

      /** A reader reads by itself what was in the log when it came; at the end of the log, all readers share pages. */
      const read = (at: Position, look: PageLook): Effect.Effect<Page, StoreUnavailable> => {
        if (!tail.concerns(at, filters)) return Effect.succeed({ events: [], more: false })
        return isAfter(joined, at)
          ? store.readAll(at, { ...filters, ...page, ...look })
          : tail.page(at, filters, { ...page, ...look })
      }

      const next = Effect.fnUntraced(function* (state: State) {
        let at = state.after
        for (;;) {
          if (closing.isOpen()) return end(state, "stopping")
          const reached = tail.reached()
          const { events, more } = yield* reading((look) => read(at, look))
          if (!(yield* isLive)) return end(state, "revoked")
          const saidAt = yield* Clock.currentTimeMillis
          if (events.length > 0) {
            const told: News = { _tag: "Events", events }
            const last = events.at(-1)!.position
            return [told, { ...state, after: more ? last : latest(last, reached), saidAt }] as const
          }
          if (saidAt - state.saidAt >= silence) return [{ _tag: "Silence" } as News, { ...state, saidAt }] as const
          // all that concerns this reader was read up to there
          if (!more) at = latest(at, reached)
          // the tail looks at least once a second, and then the key is checked
          const woken = Effect.andThen(PubSub.takeAll(looks), Effect.sleep(pause))
          yield* Effect.raceFirst(woken, closing.await)
        }
      })

      const start: State = { after, saidAt: yield* Clock.currentTimeMillis, ended: false }
      return Stream.unfold(start, (state) =>
        state.ended ? Effect.undefined : Effect.catch(next(state), () => Effect.succeed(end(state, "unavailable")))
      )
    }).pipe(Effect.catch(() => Effect.succeed(Stream.succeed<News>({ _tag: "End", why: "unavailable" }))))
  )
