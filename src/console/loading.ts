import { useEffect, useRef, useState } from "preact/hooks"
import { NotFoundError, PermissionDeniedError } from "../../clients/typescript/src/index.ts"
import { failure, type Session, session } from "./session.ts"

/** What is asked for: on its way, there, or why not. What was there before stays to be seen meanwhile. */
export type Loaded<T> =
  | { readonly state: "loading"; readonly value: T | undefined }
  | { readonly state: "there"; readonly value: T }
  | { readonly state: "failed"; readonly why: "missing" | "forbidden" | "other"; readonly message: string }

/** What kind of failure it was. */
export const whyOf = (error: unknown) => {
  if (error instanceof NotFoundError) return "missing"
  return error instanceof PermissionDeniedError ? "forbidden" : "other"
}

type Ask<T> = (session: Session, signal: AbortSignal) => Promise<T>

/** What was there, while something is asked for. */
const meanwhile = <T>(before: Loaded<T>): Loaded<T> => ({
  state: "loading",
  value: before.state === "failed" ? undefined : before.value
})

/** A question that is on its way. */
interface Asking {
  readonly name: string
  /** It is asked once more behind this one. */
  isOnceMore: boolean
}

/**
 * Asks for something as often as `name` changes; an answer to an earlier question is not listened to. `undefined`:
 * there is nothing to ask. Gives what came, and what asks again. While the same question is on its way, it is asked
 * once more behind that: so who asks again and again has answers, and the last of them is no older than their last
 * asking.
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
  // what was asked for under another name is no answer to this, from the first moment on
  const loaded = name === undefined || held.of === name ? held.loaded : meanwhile(held.loaded)
  const again = () => {
    if (name !== undefined && asking.current?.name === name) {
      asking.current.isOnceMore = true
      return
    }
    // from now on it is on its way: whoever looks before it is asked is not to take what is there for the newest
    if (name !== undefined && session.value) setHeld((before) => ({ of: name, loaded: meanwhile(before.loaded) }))
    setRound((before) => before + 1)
  }
  return [loaded, again]
}
