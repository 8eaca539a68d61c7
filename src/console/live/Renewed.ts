import { useRef, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import type { Pages } from "../parts/pages.ts"
import { doings, isAimedAt, useSteady } from "./steady.ts"
import { useAgain } from "./useLive.ts"

/**
 * Loads a list again when certain events came, at most once in `pause` milliseconds. A reader who has gone further than
 * the first page would lose their place, and one who is about to press something would press something else. So they
 * are told of the change, in a place where that moves nothing, and load the list themselves.
 */
export const Renewed = ({
  by,
  list,
  pause
}: {
  readonly by: Parameters<typeof useAgain>[0]
  /** `isFurther` is missing if the list has only one page. */
  readonly list: Pick<Pages<unknown>, "first"> & Partial<Pick<Pages<unknown>, "isFurther">>
  readonly pause?: number
}): Node => {
  const { first, isFurther = false } = list
  const [loaded, again] = first
  // a page that could not be loaded again is old for another reason, and says so itself
  const there = loaded.state === "there" ? loaded.value : undefined
  const place = useRef<HTMLParagraphElement>(null)
  /** The first page that is known to be old. Any other one is not. */
  const [old, setOld] = useState<typeof there>()
  const known = useRef(doings())
  const heard = () => {
    const isNews = doings() === known.current
    known.current = doings()
    // an answer on its way may have been read before the event, so `again` asks once more behind it
    if (there !== undefined && (isFurther || (isNews && isAimedAt(place.current)))) setOld(there)
    else again()
  }
  useAgain(by, heard, pause)
  const isOld = old !== undefined && old === there
  // also if the further pages did not come after all
  useSteady(place, isOld && !isFurther, again)
  return html`<p class="since" role="status" ref=${place}>${isOld && html`There are changes. <button type="button" class="small" onClick=${again}>Refresh</button>`}</p>`
}
