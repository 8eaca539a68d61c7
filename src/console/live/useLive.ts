import { useEffect, useRef } from "preact/hooks"
import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { untilAllowed } from "./limit.ts"
import { listen } from "./source.ts"

const nothing = (): void => {}

/** Hears each event as it comes, and that some may have been missed, while the component is there. */
export const useLive = (hear: (event: RecordedEvent) => void = nothing, missed: () => void = nothing): void => {
  const latest = useRef({ hear, missed })
  latest.current = { hear, missed }
  useEffect(
    () =>
      listen(
        (event) => latest.current.hear(event),
        () => latest.current.missed()
      ),
    []
  )
}

/** Whether an event changes what is shown. */
type Concerns = (event: RecordedEvent) => boolean

/**
 * Loads something again when certain events came, or may have come: `pause` milliseconds after the first one, and at
 * most once in `rest` milliseconds; later where the tab is hidden, or the service has refused too many requests.
 */
export const useAgain = (
  changing: ReadonlyArray<string> | Concerns,
  again: () => void,
  pause = 1_000,
  rest = pause
): void => {
  const latest = useRef(again)
  latest.current = again
  const soon = useRef(() => {})
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let resting: ReturnType<typeof setTimeout> | undefined
    let isDue = false
    const rested = () => {
      resting = undefined
      if (isDue) look()
    }
    const look = () => {
      timer = undefined
      const wait = untilAllowed()
      // a timer of more than 24 days would be due at once
      if (wait > 0) timer = setTimeout(look, Math.min(wait, 60_000))
      else if (resting !== undefined || document.visibilityState !== "visible") isDue = true
      else {
        isDue = false
        resting = setTimeout(rested, rest)
        latest.current()
      }
    }
    soon.current = () => {
      timer ??= setTimeout(look, pause)
    }
    const seen = () => isDue && soon.current()
    document.addEventListener("visibilitychange", seen)
    return () => {
      clearTimeout(timer)
      clearTimeout(resting)
      document.removeEventListener("visibilitychange", seen)
    }
  }, [pause, rest])
  useLive(
    (event) => {
      if (typeof changing === "function" ? changing(event) : changing.includes(event.type)) soon.current()
    },
    () => soon.current()
  )
}
