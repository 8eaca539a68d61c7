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

/** What a run threw, as it is recorded: anything may be thrown. */
export const errorOf = ({ outcome }: Run): { readonly message: string; readonly type: string } =>
  outcome instanceof Error
    ? { message: String(outcome.message), type: String(outcome.name) }
    : { message: textOf(outcome), type: typeof outcome }

const textOf = (thrown: unknown): string => {
  try {
    return String(thrown)
  } catch {
    return "something that has no text"
  }
}

type Tell = (failed: boolean, outcome: unknown) => void

/** A generator's run ends when it does, or when nobody wants more of it. */
function* watchedGenerator(source: Generator, tell: Tell): Generator {
  let ended = false
  try {
    const value: unknown = yield* source
    ended = true
    tell(false, value)
    return value
  } catch (error) {
    if (!ended) tell(true, error)
    ended = true
    throw error
  } finally {
    if (!ended) tell(false, undefined)
  }
}

async function* watchedAsyncGenerator(source: AsyncGenerator, tell: Tell): AsyncGenerator {
  let ended = false
  try {
    const value: unknown = yield* source
    ended = true
    tell(false, value)
    return value
  } catch (error) {
    if (!ended) tell(true, error)
    ended = true
    throw error
  } finally {
    if (!ended) tell(false, undefined)
  }
}

/** What a function gave, as far as that matters here; to ask may fail, such as of a revoked proxy. */
const kindOf = (result: unknown): string => {
  try {
    return result instanceof Promise ? "promise" : Object.prototype.toString.call(result)
  } catch {
    return "unknown"
  }
}

/** The same function, whose calls are told of when they end: when a promise is settled, when a generator is done. */
export const watched = <T extends AnyFunction>(fn: T, ended: (run: Run) => void): T => {
  const called = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    const begun = performance.now()
    const tell: Tell = (failed, outcome) => {
      const durationMs = Math.max(0, Math.round(performance.now() - begun))
      try {
        ended({ args, durationMs, failed, outcome })
      } catch {
        // who watches must not disturb the program
      }
    }
    let result: unknown
    try {
      result = fn.apply(this, args as Array<unknown>)
    } catch (error) {
      tell(true, error)
      throw error
    }
    const kind = kindOf(result)
    if (kind === "[object Generator]") return watchedGenerator(result as Generator, tell)
    if (kind === "[object AsyncGenerator]") return watchedAsyncGenerator(result as AsyncGenerator, tell)
    // itself, with all that it can do besides, and not what comes after it
    if (kind === "promise") {
      ;(result as Promise<unknown>).then(
        (value) => tell(false, value),
        (error) => tell(true, error)
      )
    } else tell(false, result)
    return result
  }
  for (const name of ["name", "length"] as const) Object.defineProperty(called, name, { value: fn[name] })
  return called as unknown as T
}
