import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Knife } from "./LogIntake.contract.ts"

const died = () => Effect.die(new Error("killed"))

/** Lets a step happen, or not any more; the last one that is allowed happens, and nobody hears of it. */
export const step = <A, E, R>(effect: Effect.Effect<A, E, R>, knife: Knife): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    if (knife.left === undefined) return effect
    if (knife.left === 0) return died()
    knife.left -= 1
    return knife.left === 0 ? Effect.andThen(effect, died()) : effect
  })

/** A client whose statements are steps. */
export const cutting = (sql: PgClient.PgClient, knife: Knife): PgClient.PgClient =>
  new Proxy(sql, {
    apply: (target, self, given) => step(Reflect.apply(target as never, self, given) as Effect.Effect<unknown>, knife),
    get: (target, name, receiver) => {
      const value = Reflect.get(target, name, receiver)
      if (name !== "unsafe") return value
      return (...given: ReadonlyArray<unknown>) =>
        step(Reflect.apply(value as never, target, given) as Effect.Effect<unknown>, knife)
    }
  })
