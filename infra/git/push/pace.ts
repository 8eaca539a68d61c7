import { Effect } from "effect"
import { PushRefused } from "#ports/PushIntake.ts"

/** How slowly a pack may arrive; times are whole seconds. A sender that holds a place has to make use of it. */
export interface Pace {
  /** Time after which a sender of nothing loses its place. */
  readonly still: number
  /** In each window of this length, wherever it begins, `least` bytes a second must arrive. */
  readonly window: number
  readonly least: number
}

/** A connection that loses packets now and then keeps up with it. */
export const usual: Pace = { still: 30, window: 60, least: 16_000 }

/** Fails once the bytes that have arrived, as `bytes` counts them, arrive too slowly. The reason is for the sender. */
export const watch = (bytes: () => number, { still, window, least }: Pace): Effect.Effect<never, PushRefused> =>
  Effect.gen(function* () {
    /** The count at each look of the last `window`, a second apart: bytes from before that count for nothing. */
    const before = [bytes()]
    let silent = 0
    for (;;) {
      yield* Effect.sleep("1 second")
      const now = bytes()
      silent = now === before.at(-1) ? silent + 1 : 0
      if (silent >= still) return yield* new PushRefused({ reason: `nothing came for ${still} seconds; push again` })
      if (before.length === window && now - before.shift()! < window * least)
        return yield* new PushRefused({
          reason: `it comes too slowly, less than ${least / 1_000} kB in each second of the last ${window}; push less at once, or over a faster connection`
        })
      before.push(now)
    }
  })
