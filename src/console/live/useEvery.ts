import { useEffect, useRef } from "preact/hooks"

/** Loads something again every so many milliseconds, while the component is there and the tab is visible. */
export const useEvery = (milliseconds: number, again: () => void): void => {
  const latest = useRef(again)
  latest.current = again
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && latest.current(), milliseconds)
    return () => clearInterval(timer)
  }, [milliseconds])
}
