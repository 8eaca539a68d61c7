/** A function that can be watched. */
// biome-ignore lint/suspicious/noExplicitAny: any function, whatever it takes
export type AnyFunction = (...args: Array<any>) => unknown

/** One call that has ended. */
export interface Run {
  readonly args: ReadonlyArray<unknown>
  /** Whole milliseconds. */
  readonly durationMs: number
  readonly failed: boolean
  /** What it gave or threw. */
  readonly outcome: unknown
}

/** What a run threw, as it is recorded. */
export const errorOf = ({ outcome }: Run): { readonly message: string; readonly type: string } =>
  outcome instanceof Error
    ? { message: outcome.message, type: outcome.name }
    : { message: String(outcome), type: typeof outcome }

/** The same function, whose calls are told of when they end. A promise is waited for. */
export const watched = <T extends AnyFunction>(fn: T, ended: (run: Run) => void): T => {
  const called = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    const begun = performance.now()
    const tell = (failed: boolean, outcome: unknown) =>
      ended({ args, durationMs: Math.max(0, Math.round(performance.now() - begun)), failed, outcome })
    let result: unknown
    try {
      result = fn.apply(this, args as Array<unknown>)
    } catch (error) {
      tell(true, error)
      throw error
    }
    if (!(result instanceof Promise)) {
      tell(false, result)
      return result
    }
    return result.then(
      (value) => {
        tell(false, value)
        return value
      },
      (error) => {
        tell(true, error)
        throw error
      }
    )
  }
  Object.defineProperty(called, "name", { value: fn.name })
  return called as unknown as T
}
