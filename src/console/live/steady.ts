import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { hasFingers, underPointer, untilLeft } from "./pointer.ts"

const isBefore = (place: Element, other: Element): boolean =>
  place.contains(other) || (place.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0

/**
 * Whether the reader may be about to press something in or behind `place`, which would move if that grew: the pointer
 * is there, and was not left there. `null`: the place is gone. A component that has left the page listens until the
 * page is painted.
 */
export const isAimedAt = (place: Element | null): boolean => {
  if (place === null || hasFingers()) return place !== null
  const under = untilLeft() > 0 ? underPointer() : undefined
  return under !== undefined && isBefore(place, under)
}

/** While something waits that would move what stands behind `place`: lets it come when nobody aims there any more. */
export const useSteady = (place: RefObject<Element | null>, isWaiting: boolean, come: () => void): void => {
  const latest = useRef(come)
  latest.current = come
  useEffect(() => {
    if (!isWaiting) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (!isAimedAt(place.current)) latest.current()
      // if the pointer was moved meanwhile, it is looked at again
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

/** Says that the reader has changed something. The next event is no news to them, and may move things. */
export const hasDone = (): void => {
  done++
}

/** How often the reader has changed something. */
export const doings = (): number => done
