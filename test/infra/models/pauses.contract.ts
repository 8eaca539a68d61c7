import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { ModelFailed, ModelTurn } from "#ports/LanguageModel.ts"
import { text } from "#test/languageModel.ts"

/** A provider's answer to who is to ask again: after milliseconds, or when `Retry-After` says so. */
export interface Refusal {
  readonly status: number
  readonly pause?: number
  readonly retryAfter?: string
}

/** An adapter, and what a provider's stand-in was asked. */
export interface Asking {
  readonly requests: ReadonlyArray<unknown>
  readonly next: Effect.Effect<ModelTurn, ModelFailed>
}

/**
 * How an adapter waits for a provider that says when to ask again. `start` begins a stand-in that refuses so each time
 * it is told to, and else answers "At last."; requests are counted from 0.
 */
export const pauses = (
  name: string,
  start: (refusal: (n: number) => Refusal | undefined) => Effect.Effect<Asking, never, Scope.Scope>
) =>
  describe(`${name}: a pause`, () => {
    /** Milliseconds between the first two requests, of which the first was refused. */
    const waited = Effect.fnUntraced(function* (refusal: () => Refusal) {
      const came: Array<number> = []
      const { next } = yield* start((n) => {
        came.push(performance.now())
        return n === 0 ? refusal() : undefined
      })
      assert.deepStrictEqual((yield* next).says, [text("At last.")])
      return came[1]! - came[0]!
    })

    it.live("asks no sooner again than it is told to", () =>
      Effect.gen(function* () {
        // a clock's tick less
        assert.isAtLeast(yield* waited(() => ({ status: 429, pause: 1_500 })), 1_490)
      })
    )

    it.live("asks again in the seconds, or at the time, that `Retry-After` has", () =>
      Effect.gen(function* () {
        const soon = () => new Date(Date.now() + 2_000).toUTCString()
        for (const retryAfter of [() => "1", soon]) {
          // a time is told in whole seconds
          assert.isAtLeast(yield* waited(() => ({ status: 429, retryAfter: retryAfter() })), 990)
        }
      })
    )

    it.live("asks no more where it would have to wait for longer than a minute, and says for how long", () =>
      Effect.gen(function* () {
        const later = new Date(Date.now() + 600_000).toUTCString()
        for (const [status, retryAfter, minutes] of [
          [429, "61", 2],
          [503, "86400", 1_440],
          [429, later, 10]
        ] as const) {
          const { requests, next } = yield* start(() => ({ status, retryAfter }))
          const { message } = yield* Effect.flip(next)
          assert.include(message, `try again in ${minutes} minutes.`)
          assert.lengthOf(requests, 1)
        }
      })
    )
  })
