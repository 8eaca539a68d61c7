import { useRef, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import type { Pages } from "../parts/pages.ts"
import { doings, isAimedAt, useSteady } from "./steady.ts"
import { useAgain } from "./useLive.ts"

/**
 * Calls for a list anew when such events came, at most as often as once in `pause` milliseconds. Who has gone further
 * than its first page would lose their place by that, again at each event, and who is about to press something would
 * press something else: they are told, where it moves nothing, and ask themselves.
 */
export const Renewed = ({
  by,
  list,
  pause
}: {
  readonly by: Parameters<typeof useAgain>[0]
  /** Without further pages, where it has one only. */
  readonly list: Pick<Pages<unknown>, "first"> & Partial<Pick<Pages<unknown>, "isFurther">>
  readonly pause?: number
}): Node => {
  const { first, isFurther = false } = list
  const [loaded, again] = first
  const there = loaded.state === "there" ? loaded.value : undefined
  const place = useRef<HTMLParagraphElement>(null)
  /** The first page that is known to be old: another one is not. */
  const [old, setOld] = useState<typeof there>()
  const known = useRef(doings())
  const heard = () => {
    const isNews = doings() === known.current
    known.current = doings()
    // what is on its way may have been read before the event: it is asked for anew, and answers later
    if (there !== undefined && (isFurther || (isNews && isAimedAt(place.current)))) setOld(there)
    else again()
  }
  useAgain(by, heard, pause)
  const isOld = old !== undefined && old === there
  // also where further pages did not come after all
  useSteady(place, isOld && !isFurther, again)
  return html`<p class="since" role="status" ref=${place}>${isOld && html`There are changes. <button type="button" class="small" onClick=${again}>Refresh</button>`}</p>`
}
