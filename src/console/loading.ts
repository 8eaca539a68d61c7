import { useEffect, useRef, useState } from "preact/hooks"
import { NotFoundError, PermissionDeniedError, RateLimitError } from "../../clients/typescript/src/index.ts"
import { heedLimit } from "./live/limit.ts"
import { whenBack } from "./live/source.ts"
import { failure, type Session, session } from "./session.ts"

/** Why something could not be loaded. */
export interface Fault {
  readonly why: "missing" | "forbidden" | "other"
  readonly message: string
}

/**
 * Something that is loaded: on its way, there, or why it failed. Meanwhile, what was there before stays visible, and
 * also if it can't be loaded again, but not if it is gone or no longer allowed. Until it has come, `fault` says why it
 * failed the last time.
 */
export type Loaded<T> =
  | { readonly state: "loading"; readonly value: T | undefined; readonly fault: Fault | undefined }
  | { readonly state: "there"; readonly value: T; readonly fault: undefined }
  | ({ readonly state: "failed"; readonly value: T | undefined; readonly fault: Fault } & Fault)

/** Which kind of failure it was. */
export const whyOf = (error: unknown): Fault["why"] => {
  if (error instanceof NotFoundError) return "missing"
  return error instanceof PermissionDeniedError ? "forbidden" : "other"
}

type Ask<T> = (session: Session, signal: AbortSignal) => Promise<T>

/** What is known under a name, and the last value that came, which may be another name's. */
interface Held<T> {
  readonly of: string | undefined
  readonly loaded: Loaded<T>
  readonly last: { readonly of: string; readonly value: T } | undefined
}

const begun = <T>(before: Held<T>, name: string | undefined, isKept: boolean): Held<T> => {
  const last = isKept || before.last?.of === name ? before.last : undefined
  const fault = before.of === name ? before.loaded.fault : undefined
  return { of: name, loaded: { state: "loading", value: last?.value, fault }, last }
}

const failed = <T>(before: Held<T>, name: string, fault: Fault): Held<T> => {
  const last = fault.why === "other" && before.last?.of === name ? before.last : undefined
  return { of: name, loaded: { state: "failed", value: last?.value, fault, ...fault }, last }
}

/** A question that is on its way. */
interface Asking {
  readonly name: string
  /** Whether it is asked once more behind this one. */
  isOnceMore: boolean
}

/**
 * Loads something each time `name` changes; answers to earlier names are dropped. `undefined`: there is nothing to
 * load. Gives what came, and a function that loads it again. If that is called while the same question is on its way,
 * it is asked once more behind it. So a caller who asks again and again gets answers, and the last one is no older than
 * the last call. What failed is asked for again when the connection is back.
 *
 * `isKept`: what came under another name stays until this one's answer. It must say by itself what it is of.
 */
export const useLoaded = <T>(
  name: string | undefined,
  ask: Ask<T>,
  { isKept = false }: { readonly isKept?: boolean } = {}
): readonly [Loaded<T>, () => void] => {
  const [held, setHeld] = useState<Held<T>>({
    of: name,
    loaded: { state: "loading", value: undefined, fault: undefined },
    last: undefined
  })
  const [round, setRound] = useState(0)
  const asking = useRef<Asking | undefined>(undefined)
  useEffect(() => {
    const open = session.value
    if (name === undefined || !open) return
    const controller = new AbortController()
    const own: Asking = { name, isOnceMore: false }
    asking.current = own
    const come = (after: (before: Held<T>) => Held<T>) => {
      if (controller.signal.aborted) return
      asking.current = undefined
      setHeld((before) => (own.isOnceMore ? begun(after(before), name, isKept) : after(before)))
      if (own.isOnceMore) setRound((before) => before + 1)
    }
    setHeld((before) => begun(before, name, isKept))
    ask(open, controller.signal).then(
      (value) =>
        come(() => ({ of: name, loaded: { state: "there", value, fault: undefined }, last: { of: name, value } })),
      (error) => {
        if (controller.signal.aborted) return
        if (error instanceof RateLimitError) heedLimit(error.retryAfter)
        const fault = { why: whyOf(error), message: failure(error) }
        come((before) => failed(before, name, fault))
      }
    )
    return () => {
      controller.abort()
      if (asking.current === own) asking.current = undefined
    }
  }, [name, round])
  // what was loaded under another name is no answer to this, from the first moment on
  const { loaded } = held.of === name ? held : begun(held, name, isKept)
  const again = () => {
    if (name !== undefined && asking.current?.name === name) {
      asking.current.isOnceMore = true
      return
    }
    // it counts as on its way from now on: whoever looks before it is asked must not take the old value for the newest
    if (name !== undefined && session.value) setHeld((before) => begun(before, name, isKept))
    setRound((before) => before + 1)
  }
  const latest = useRef(again)
  latest.current = again
  const isFailed = loaded.state === "failed" && loaded.why === "other"
  useEffect(() => (isFailed ? whenBack(() => latest.current()) : undefined), [isFailed])
  return [loaded, again]
}
