import { Effect, type Scope } from "effect"

/** A place that was taken. It is left once, by who comes first: the scope, or the work that ended before it. */
export interface Place {
  readonly leave: () => void
}

interface Waiting {
  readonly tenant: string
  readonly come: () => void
}

/** Places for heavy work, of which no tenant has all: who has the fewest is next, and of equals who came first. */
export class Places {
  #free: number
  readonly #most: number
  readonly #taken = new Map<string, number>()
  #waiting: Array<Waiting> = []

  constructor(places: number, ofOneTenant: number) {
    this.#free = places
    this.#most = ofOneTenant
  }

  #has(tenant: string): number {
    return this.#taken.get(tenant) ?? 0
  }

  #next(): void {
    while (this.#free > 0) {
      const able = this.#waiting.filter(({ tenant }) => this.#has(tenant) < this.#most)
      const next = able.sort((a, b) => this.#has(a.tenant) - this.#has(b.tenant))[0]
      if (next === undefined) return
      this.#waiting = this.#waiting.filter((one) => one !== next)
      this.#free -= 1
      this.#taken.set(next.tenant, this.#has(next.tenant) + 1)
      next.come()
    }
  }

  #leave(tenant: string): void {
    this.#free += 1
    const left = this.#has(tenant) - 1
    if (left === 0) this.#taken.delete(tenant)
    else this.#taken.set(tenant, left)
    this.#next()
  }

  /** Waits for a place, which is left when the scope closes, or before. */
  take(tenant: string): Effect.Effect<Place, never, Scope.Scope> {
    const place = Effect.callback<Place>((resume) => {
      let there = true
      const leave = () => {
        if (there) this.#leave(tenant)
        there = false
      }
      const waiting = { tenant, come: () => resume(Effect.succeed({ leave })) }
      this.#waiting.push(waiting)
      this.#next()
      return Effect.sync(() => {
        const waited = this.#waiting.includes(waiting)
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        // it had come, and nobody took it
        if (!waited) leave()
      })
    })
    return Effect.acquireRelease(place, ({ leave }) => Effect.sync(leave), { interruptible: true })
  }
}
