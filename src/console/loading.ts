import { useEffect, useRef, useState } from "preact/hooks"
import { NotFoundError, PermissionDeniedError } from "../../clients/typescript/src/index.ts"
import { failure, type Session, session } from "./session.ts"

/** Something that is loaded: on its way, there, or why it failed. Meanwhile, what was there before stays visible. */
export type Loaded<T> =
  | { readonly state: "loading"; readonly value: T | undefined }
  | { readonly state: "there"; readonly value: T }
  | { readonly state: "failed"; readonly why: "missing" | "forbidden" | "other"; readonly message: string }

/** Which kind of failure it was. */
export const whyOf = (error: unknown) => {
  if (error instanceof NotFoundError) return "missing"
  return error instanceof PermissionDeniedError ? "forbidden" : "other"
}

type Ask<T> = (session: Session, signal: AbortSignal) => Promise<T>

/** What was there before, while something is loaded. */
const meanwhile = <T>(before: Loaded<T>): Loaded<T> => ({
  state: "loading",
  value: before.state === "failed" ? undefined : before.value
})

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
 * the last call.
 */
export const useLoaded = <T>(name: string | undefined, ask: Ask<T>): readonly [Loaded<T>, () => void] => {
  const [held, setHeld] = useState<{ readonly of: string | undefined; readonly loaded: Loaded<T> }>({
    of: name,
    loaded: { state: "loading", value: undefined }
  })
  const [round, setRound] = useState(0)
  const asking = useRef<Asking | undefined>(undefined)
  useEffect(() => {
    const open = session.value
    if (name === undefined || !open) return
    const controller = new AbortController()
    const own: Asking = { name, isOnceMore: false }
    asking.current = own
    const come = (loaded: Loaded<T>) => {
      asking.current = undefined
      setHeld({ of: name, loaded: own.isOnceMore ? meanwhile(loaded) : loaded })
      if (own.isOnceMore) setRound((before) => before + 1)
    }
    setHeld((before) => ({ of: name, loaded: meanwhile(before.loaded) }))
    ask(open, controller.signal).then(
      (value) => controller.signal.aborted || come({ state: "there", value }),
      (error) => {
        if (controller.signal.aborted) return
        come({ state: "failed", why: whyOf(error), message: failure(error) })
      }
    )
    return () => {
      controller.abort()
      if (asking.current === own) asking.current = undefined
    }
  }, [name, round])
  // what was loaded under another name is no answer to this, from the first moment on
  const loaded = name === undefined || held.of === name ? held.loaded : meanwhile(held.loaded)
  const again = () => {
    if (name !== undefined && asking.current?.name === name) {
      asking.current.isOnceMore = true
      return
    }
    // it counts as on its way from now on: whoever looks before it is asked must not take the old value for the newest
    if (name !== undefined && session.value) setHeld((before) => ({ of: name, loaded: meanwhile(before.loaded) }))
    setRound((before) => before + 1)
  }
  return [loaded, again]
}
