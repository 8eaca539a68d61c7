import { useEffect, useState } from "preact/hooks"
import { NotFoundError, PermissionDeniedError } from "../../clients/typescript/src/index.ts"
import { failure, type Session, session } from "./session.ts"

/** What is asked for: on its way, there, or why not. What was there before stays to be seen meanwhile. */
export type Loaded<T> =
  | { readonly state: "loading"; readonly value: T | undefined }
  | { readonly state: "there"; readonly value: T }
  | { readonly state: "failed"; readonly why: "missing" | "forbidden" | "other"; readonly message: string }

const whyOf = (error: unknown) => {
  if (error instanceof NotFoundError) return "missing"
  return error instanceof PermissionDeniedError ? "forbidden" : "other"
}

type Ask<T> = (session: Session, signal: AbortSignal) => Promise<T>

/**
 * Asks for something as often as `name` changes; an answer to an earlier question is not listened to. `undefined`:
 * there is nothing to ask. Gives what came, and what asks again.
 */
export const useLoaded = <T>(name: string | undefined, ask: Ask<T>): readonly [Loaded<T>, () => void] => {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading", value: undefined })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const open = session.value
    if (name === undefined || !open) return
    const controller = new AbortController()
    setLoaded((before) => ({ state: "loading", value: before.state === "failed" ? undefined : before.value }))
    ask(open, controller.signal).then(
      (value) => controller.signal.aborted || setLoaded({ state: "there", value }),
      (error) => {
        if (controller.signal.aborted) return
        setLoaded({ state: "failed", why: whyOf(error), message: failure(error) })
      }
    )
    return () => controller.abort()
  }, [name, round])
  return [loaded, () => setRound((before) => before + 1)]
}
