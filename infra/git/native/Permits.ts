import { Effect, type Scope } from "effect"

/** A taken permit. It is released once: when the scope closes, or before, when the work has ended. */
export interface Permit {
  /** Gives it back; a second time does nothing. */
  readonly release: () => void
}

interface Waiting {
  readonly tenant: string
  readonly come: () => void
}

/**
 * Permits for heavy work, of which no tenant has all. The next one goes to the waiting tenant that has the fewest;
 * among equals, to the one that has had none or whose last one is the oldest; then to the first that came. So a
 * newcomer waits for the work that is running, not for all that others have left waiting.
 */
export class Permits {
  #free: number
  readonly #most: number
  readonly #taken = new Map<string, number>()
  /** When each tenant that has a permit or waits for one got its last, counted in permits given. */
  readonly #last = new Map<string, number>()
  #given = 0
  #waiting: Array<Waiting> = []

  constructor(permits: number, ofOneTenant: number) {
    this.#free = permits
    this.#most = ofOneTenant
  }

  #has(tenant: string): number {
    return this.#taken.get(tenant) ?? 0
  }

  #lastOf(tenant: string): number {
    return this.#last.get(tenant) ?? 0
  }

  #forget(tenant: string): void {
    const waits = this.#waiting.some((one) => one.tenant === tenant)
    if (!waits && this.#has(tenant) === 0) this.#last.delete(tenant)
  }

  #next(): void {
    while (this.#free > 0) {
      const able = this.#waiting.filter(({ tenant }) => this.#has(tenant) < this.#most)
      const next = able.sort(
        (a, b) => this.#has(a.tenant) - this.#has(b.tenant) || this.#lastOf(a.tenant) - this.#lastOf(b.tenant)
      )[0]
      if (next === undefined) return
      this.#waiting = this.#waiting.filter((one) => one !== next)
      this.#free -= 1
      this.#taken.set(next.tenant, this.#has(next.tenant) + 1)
      this.#last.set(next.tenant, ++this.#given)
      next.come()
    }
  }

  #release(tenant: string): void {
    this.#free += 1
    const left = this.#has(tenant) - 1
    if (left === 0) this.#taken.delete(tenant)
    else this.#taken.set(tenant, left)
    this.#next()
    this.#forget(tenant)
  }

  /** Waits for a permit, which is released when the scope closes, or before. */
  take(tenant: string): Effect.Effect<Permit, never, Scope.Scope> {
    const permit = Effect.callback<Permit>((resume) => {
      let there = true
      const release = () => {
        if (there) this.#release(tenant)
        there = false
      }
      const waiting = { tenant, come: () => resume(Effect.succeed({ release })) }
      this.#waiting.push(waiting)
      this.#next()
      return Effect.sync(() => {
        const waited = this.#waiting.includes(waiting)
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        // the permit was given, but nobody took it
        if (!waited) release()
        this.#forget(tenant)
      })
    })
    return Effect.acquireRelease(permit, ({ release }) => Effect.sync(release), { interruptible: true })
  }
}
