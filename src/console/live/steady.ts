import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { hasFingers, underPointer, untilLeft } from "./pointer.ts"

const isBefore = (place: Element, other: Element): boolean =>
  place.contains(other) || (place.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0

/**
 * Whether the reader may be about to press what stands in or behind `place`, and would move if that grew: by a pointer
 * that is there, and was not left there. `null`: there is no such place any more, as what has gone from the page hears
 * on until that is painted.
 */
export const isAimedAt = (place: Element | null): boolean => {
  if (place === null || hasFingers()) return place !== null
  const under = untilLeft() > 0 ? underPointer() : undefined
  return under !== undefined && isBefore(place, under)
}

/** While something waits that would move what stands behind `place`: lets it come when nobody aims at that any more. */
export const useSteady = (place: RefObject<Element | null>, isWaiting: boolean, come: () => void): void => {
  const latest = useRef(come)
  latest.current = come
  useEffect(() => {
    if (!isWaiting) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (!isAimedAt(place.current)) latest.current()
      // a pointer that is moved meanwhile is looked at again
      else if (!hasFingers()) timer = setTimeout(look, untilLeft())
    }
    document.addEventListener("pointerover", look)
    document.documentElement.addEventListener("pointerleave", look)
    look()
    return () => {
      clearTimeout(timer)
      document.removeEventListener("pointerover", look)
      document.documentElement.removeEventListener("pointerleave", look)
    }
  }, [isWaiting])
}

let done = 0

/** The reader has changed something themselves: what is heard next is no news to them, and may move things. */
export const hasDone = (): void => {
  done++
}

/** How often they have. */
export const doings = (): number => done
