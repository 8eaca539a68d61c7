import { useEffect, useRef } from "preact/hooks"
import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { listen } from "./source.ts"

/** Hears each event as it comes, while the component is there. */
export const useLive = (hear: (event: RecordedEvent) => void = () => {}): void => {
  const latest = useRef(hear)
  latest.current = hear
  useEffect(() => listen((event) => latest.current(event)), [])
}

/**
 * Calls for something anew when events of these types came, of one stream where that is given: at most as often as once
 * in `pause` milliseconds.
 */
export const useAgain = (
  types: ReadonlyArray<string>,
  again: () => void,
  pause = 1_000,
  stream: string | undefined = undefined
): void => {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(again)
  latest.current = again
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive((event) => {
    if (timer.current !== undefined || !types.includes(event.type)) return
    if (stream !== undefined && event.stream !== stream) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, pause)
  })
}
