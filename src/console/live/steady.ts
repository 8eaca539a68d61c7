import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** What the pointer is over, where there is one. */
let under: Element | undefined
document.addEventListener("pointerover", ({ target }) => {
  under = target as Element
})
document.documentElement.addEventListener("pointerleave", () => {
  under = undefined
})

/** A finger is over nothing before it presses. */
const fingers = window.matchMedia("(hover: none)")

/**
 * Whether the reader may be about to press what stands in or behind `place`, and would move if that grew. `null`: there
 * is no such place any more, as what has gone from the page hears on until that is painted.
 */
export const isAimedAt = (place: Element | null): boolean =>
  place !== null &&
  (fingers.matches ||
    (under?.isConnected === true &&
      (place.contains(under) || (place.compareDocumentPosition(under) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0)))

/** While something waits that would move what stands behind `place`: lets it come when nobody aims at that any more. */
export const useSteady = (place: RefObject<Element | null>, isWaiting: boolean, come: () => void): void => {
  const latest = useRef(come)
  latest.current = come
  useEffect(() => {
    if (!isWaiting) return
    const look = () => isAimedAt(place.current) || latest.current()
    document.addEventListener("pointerover", look)
    document.documentElement.addEventListener("pointerleave", look)
    look()
    return () => {
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
