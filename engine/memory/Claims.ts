import { Deferred, Effect } from "effect"
import type { Claim, Claiming } from "#engine/ports/Claims.ts"

/** One of the processes that share claims. */
export interface Process extends Claiming {
  /** Loses all its claims, without a word; the process goes on. */
  readonly lose: Effect.Effect<void>
}

interface Asked {
  readonly had: Deferred.Deferred<Claim>
  readonly lost: Deferred.Deferred<void>
  readonly by: object
  /** `handedOver` for the next holder, if the claim is given up now. */
  inOrder: boolean
}

/** Makes processes in memory, for tests: each call of what it gives makes one more. */
export const makeProcesses = (): (() => Process) => {
  /** By name: the holder first, then those that wait. */
  const asked = new Map<string, Array<Asked>>()

  const next = (name: string, handedOver: boolean) => {
    const one = asked.get(name)?.[0]
    if (one === undefined) return Effect.void
    one.inOrder = handedOver
    const begin = Effect.sync(() => {
      one.inOrder = true
    })
    return Deferred.succeed(one.had, { lost: Deferred.await(one.lost), handedOver, begin })
  }

  const leave = (name: string, one: Asked, handedOver: boolean) =>
    Effect.suspend(() => {
      const all = asked.get(name)!
      const at = all.indexOf(one)
      if (at !== -1) all.splice(at, 1)
      return at === 0 ? next(name, handedOver) : Effect.void
    })

  return () => {
    const by = {}
    return {
      shared: true,
      claim: Effect.fnUntraced(function* (name: string) {
        const one: Asked = {
          had: yield* Deferred.make<Claim>(),
          lost: yield* Deferred.make<void>(),
          by,
          inOrder: false
        }
        const all = asked.get(name) ?? []
        asked.set(name, all)
        yield* Effect.acquireRelease(
          Effect.sync(() => void all.push(one)),
          () => Effect.suspend(() => leave(name, one, one.inOrder))
        )
        if (all[0] === one) yield* next(name, false)
        return yield* Deferred.await(one.had)
      }),
      lose: Effect.suspend(() => {
        const had = [...asked].filter(([, [first]]) => first?.by === by)
        return Effect.forEach(
          had,
          ([name, [one]]) => Effect.andThen(leave(name, one!, false), Deferred.succeed(one!.lost, undefined)),
          { discard: true }
        )
      })
    }
  }
}
