import { Effect } from "effect"
import { PushRefused } from "#ports/PushIntake.ts"

/** How slowly a pack may come, in whole seconds: whoever holds a place has to make use of it. */
export interface Pace {
  /** Nothing at all for so long. */
  readonly still: number
  /** Of each so long, wherever it begins, `least` bytes a second. */
  readonly window: number
  readonly least: number
}

/** A connection that loses packets now and then keeps it. */
export const usual: Pace = { still: 30, window: 60, least: 16_000 }

/** Ends when what has come, by `bytes`, comes too slowly: its sender is told why. */
export const watch = (bytes: () => number, { still, window, least }: Pace): Effect.Effect<never, PushRefused> =>
  Effect.gen(function* () {
    /** How many there were at each look, a second apart; of what came before it nothing is to anybody's credit. */
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
