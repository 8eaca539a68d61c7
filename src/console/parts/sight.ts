import type { RefObject } from "preact"
import { useEffect, useState } from "preact/hooks"

/**
 * Pixels above and below what is seen within which rows are there: some 1,600 rows each way, for scrolling, for screen
 * readers, and for the browser's own search.
 */
const near = 60_000

type Tell = (entry: IntersectionObserverEntry) => void

const told = new WeakMap<Element, Tell>()
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) told.get(entry.target)?.(entry)
  },
  { rootMargin: `${near}px 0px` }
)

/**
 * The height in pixels of a box in the place of `rows` rows that are many screens away; `undefined`: they are near, and
 * are to be shown. Rows with the focus in them stay.
 */
export const useSight = (ref: RefObject<Element | null>, rows: number): number | undefined => {
  const [room, setRoom] = useState<number>()
  useEffect(() => {
    const element = ref.current!
    told.set(element, ({ isIntersecting, boundingClientRect: { height } }) => {
      if (isIntersecting) setRoom(undefined)
      else if (!element.contains(document.activeElement))
        setRoom((before) => before ?? height / element.childElementCount)
    })
    observer.observe(element)
    return () => observer.unobserve(element)
  }, [])
  return room === undefined ? undefined : room * rows
}
