import { useEffect, useRef } from "preact/hooks"
import { untilAllowed } from "./limit.ts"

/**
 * Loads something again every so many milliseconds, while the component is there and the tab is visible. One that was
 * hidden meanwhile loads it when it is seen.
 */
export const useEvery = (milliseconds: number, again: () => void): void => {
  const latest = useRef(again)
  latest.current = again
  useEffect(() => {
    let isDue = false
    const look = () => {
      if (document.visibilityState !== "visible" || untilAllowed() > 0) return
      isDue = false
      latest.current()
    }
    const timer = setInterval(() => {
      isDue = true
      look()
    }, milliseconds)
    const seen = () => isDue && look()
    document.addEventListener("visibilitychange", seen)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", seen)
    }
  }, [milliseconds])
}
