import { Effect, Semaphore } from "effect"

const all = 1_000

interface Turn {
  readonly permits: Semaphore.Semaphore
  users: number
}

/** Turns at repositories, by name: many may write to one at a time, or one alone may remove from it. */
export class Turns {
  readonly #turns = new Map<string, Turn>()

  #with<A, E>(name: string, use: (permits: Semaphore.Semaphore) => Effect.Effect<A, E>): Effect.Effect<A, E> {
    const take = Effect.sync(() => {
      const turn = this.#turns.get(name) ?? { permits: Semaphore.makeUnsafe(all), users: 0 }
      this.#turns.set(name, turn)
      turn.users += 1
      return turn
    })
    const leave = (turn: Turn) =>
      Effect.sync(() => {
        turn.users -= 1
        if (turn.users === 0) this.#turns.delete(name)
      })
    return Effect.acquireUseRelease(take, ({ permits }) => use(permits), leave)
  }

  shared<A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.#with(name, (permits) => permits.withPermits(1)(effect))
  }

  /** Runs the effect alone, or skips it when anybody else has a turn now. */
  alone<E>(name: string, effect: Effect.Effect<unknown, E>): Effect.Effect<void, E> {
    return this.#with(name, (permits) => Effect.asVoid(permits.withPermitsIfAvailable(all)(effect)))
  }
}
