import { useEffect, useRef } from "preact/hooks"
import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { listen } from "./source.ts"

/** Hears each event as it comes, while the component is there. */
export const useLive = (hear: (event: RecordedEvent) => void = () => {}): void => {
  const latest = useRef(hear)
  latest.current = hear
  useEffect(() => listen((event) => latest.current(event)), [])
}

/** Whether an event changes what is shown. */
type Concerns = (event: RecordedEvent) => boolean

/** Loads something again when certain events came, at most once in `pause` milliseconds. */
export const useAgain = (changing: ReadonlyArray<string> | Concerns, again: () => void, pause = 1_000): void => {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(again)
  latest.current = again
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive((event) => {
    const concerns = typeof changing === "function" ? changing(event) : changing.includes(event.type)
    if (timer.current !== undefined || !concerns) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, pause)
  })
}
