import { Clock, Effect, Option } from "effect"
import { Asker, longPatience, type Standing } from "#engine/ask.ts"
import { beginning, type Position } from "#engine/Position.ts"
import { schemaOf } from "#engine/Projection.ts"
import { standstill } from "#engine/standstill.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { positionWriter } from "#src/positions.ts"
import { KeysBehind } from "./KeysBehind.ts"

/** Milliseconds without any read model moving on, after which a start gives up. */
const patience = 60_000
/** Milliseconds between two lines that say how far it is. */
const between = 10_000

const unseen: ReadonlyMap<string, Standing> = new Map()

/** An answer, or none if it fails or does not come in time. */
const within = <A, E, R>(milliseconds: number, asked: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timeoutOption(Effect.option(asked), milliseconds), Option.flatten)

/**
 * Waits until the keys' read model has caught up with the log, while it gets on: after an upgrade, or on a restored
 * log, it is built from the beginning. The process that moves it may just have ended, and another may take over; or the
 * log may be away. Fails with `KeysBehind` if no read model has moved on for a minute.
 */
export const keysAreThere = Effect.gen(function* () {
  const asker = yield* Asker
  const told = yield* positionWriter
  let said = yield* Clock.currentTimeMillis
  const stillFor = standstill(said)
  let to: Position | undefined
  for (let still = 0; still < patience; ) {
    const left = patience - still
    if (Option.isSome(yield* within(left, asker.fresh(Keys, Math.min(longPatience, left))))) return
    const look = Option.getOrUndefined(yield* within(longPatience, asker.look))
    const now = yield* Clock.currentTimeMillis
    to ??= look?.head
    still = stillFor(now, to ?? beginning, look?.models ?? unseen)
    const keys = look?.models.get(schemaOf(Keys))
    if (keys !== undefined && now - said >= between) {
      said = now
      const { position, due } = keys
      yield* Effect.logInfo(
        `the start waits for the read model of the keys: it is at ${told(position)} of ${told(due)}`
      )
    }
    yield* Effect.sleep("200 millis")
  }
  return yield* new KeysBehind()
})
