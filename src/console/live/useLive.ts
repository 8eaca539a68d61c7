import { useEffect, useRef } from "preact/hooks"
import type { RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { listen } from "./source.ts"

/** Hears each event as it comes, while the component is there. */
export const useLive = (hear: (event: RecordedEvent) => void = () => {}): void => {
  const latest = useRef(hear)
  latest.current = hear
  useEffect(() => listen((event) => latest.current(event)), [])
}

/** Calls for something anew when events of these types came: at most as often as once in `pause` milliseconds. */
export const useAgain = (types: ReadonlyArray<string> | "all", again: () => void, pause = 1_000): void => {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(again)
  latest.current = again
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive(({ type }) => {
    if (timer.current !== undefined || (types !== "all" && !types.includes(type))) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, pause)
  })
}
