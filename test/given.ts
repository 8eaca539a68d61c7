import { assert } from "@effect/vitest"
import { Result } from "effect"
import type { Decider } from "#engine/Decider.ts"

/**
 * `given(decider, history).when(command).then(...events)` or `.refuses(tag)`; both give what a test may look at
 * further.
 */
export const given = <C, E, S, R extends { readonly _tag: string }>(
  decider: Decider<C, E, S, R>,
  history: ReadonlyArray<E>
) => ({
  when: (command: C) => {
    const outcome = decider.decide(command, history.reduce(decider.evolve, decider.initial))
    return {
      // biome-ignore lint/suspicious/noThenProperty: the specification reads as a sentence, and nobody awaits it
      then: (...events: ReadonlyArray<E>): void => {
        assert.deepStrictEqual(Result.isFailure(outcome) ? outcome.failure : outcome.success, events as never)
      },
      refuses: <T extends R["_tag"]>(tag: T): Extract<R, { readonly _tag: T }> => {
        if (Result.isSuccess(outcome)) assert.fail(`not refused: ${JSON.stringify(outcome.success)}`)
        assert.strictEqual(outcome.failure._tag, tag)
        return outcome.failure as Extract<R, { readonly _tag: T }>
      }
    }
  }
})
