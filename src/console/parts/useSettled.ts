import { useEffect, useRef, useState } from "preact/hooks"

/** Milliseconds without another choice before one counts. */
const pause = 300

/**
 * A choice in a list that acts once it stays: arrow keys pass many choices on their way. Gives what is chosen so far,
 * and a function that chooses; `undefined`: nothing, after all.
 */
export const useSettled = (
  value: string,
  act: (chosen: string) => void
): readonly [string, (chosen: string | undefined) => void] => {
  const [wish, setWish] = useState<string>()
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    if (wish === undefined) return
    const timer = setTimeout(() => {
      setWish(undefined)
      latest.current(wish)
    }, pause)
    return () => clearTimeout(timer)
  }, [wish])
  return [wish ?? value, setWish]
}
