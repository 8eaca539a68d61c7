import { Clock, Effect, PubSub, Stream } from "effect"
import { EventStore, type ReadAll, type StoredEvent } from "#ports/EventStore.ts"
import { Keys, keyIsLive } from "#projections/Keys.ts"
import { fresh } from "./ask.ts"
import { Closing } from "./closing.ts"

/** Events that are read at once. */
const page = 32
/** Milliseconds after which a silent stream says that it is there. */
const silence = 15_000
/** Others' appends wake every reader: this long it waits for more of them. */
const pause = "20 millis"

/** `revoked`: the key is no longer valid. `stopping`: so is the service. `unavailable`: its store does not answer. */
export type Ending = "revoked" | "stopping" | "unavailable"

/** What a reader is told: new events, that there are none for a while, or why nothing more comes. */
export type News =
  | { readonly _tag: "Events"; readonly events: ReadonlyArray<StoredEvent> }
  | { readonly _tag: "Silence" }
  | { readonly _tag: "End"; readonly why: Ending }

interface State {
  readonly after: number
  /** Milliseconds since the epoch. */
  readonly saidAt: number
  readonly ended: boolean
}

/**
 * The log behind a position as it grows, for as long as a key is live and the service runs. A page is read when the one
 * before was taken, and is given out only when the key was live behind its last event.
 */
export const follow = (key: string, after: number, filters: Omit<ReadAll, "limit">) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const store = yield* EventStore
      const closing = yield* Closing
      const hints = yield* store.hints
      let checkedAt = -1
      let live = true

      /** Looks anew whenever the keys' read model has changed. */
      const isLive = Effect.gen(function* () {
        const { changed } = yield* fresh(Keys)
        if (changed !== checkedAt) live = yield* keyIsLive(key)
        checkedAt = changed
        return live
      })

      const end = (state: State, why: Ending): readonly [News, State] => [
        { _tag: "End", why },
        { ...state, ended: true }
      ]

      const next = Effect.fnUntraced(function* (state: State) {
        for (;;) {
          if (closing.isOpen()) return end(state, "stopping")
          const { events } = yield* store.readAll(state.after, { ...filters, limit: page })
          if (!(yield* isLive)) return end(state, "revoked")
          const saidAt = yield* Clock.currentTimeMillis
          if (events.length > 0) {
            const told: News = { _tag: "Events", events }
            return [told, { ...state, after: events.at(-1)!.position, saidAt }] as const
          }
          if (saidAt - state.saidAt >= silence) return [{ _tag: "Silence" } as News, { ...state, saidAt }] as const
          // a hint comes every second at least: then the key is looked at
          const woken = Effect.andThen(PubSub.takeAll(hints), Effect.sleep(pause))
          yield* Effect.raceFirst(woken, closing.await)
        }
      })

      const start: State = { after, saidAt: yield* Clock.currentTimeMillis, ended: false }
      return Stream.unfold(start, (state) =>
        state.ended ? Effect.undefined : Effect.catch(next(state), () => Effect.succeed(end(state, "unavailable")))
      )
    })
  )
