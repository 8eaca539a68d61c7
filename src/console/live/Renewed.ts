import { useEffect, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import type { Pages } from "../parts/pages.ts"
import { useAgain } from "./useLive.ts"

/**
 * Calls for a list anew when events of these types came. Who has gone further than its first page would lose their
 * place by that, again at each event: they are told, and ask themselves.
 */
export const Renewed = ({
  types,
  list
}: {
  readonly types: ReadonlyArray<string>
  readonly list: Pick<Pages<unknown>, "first" | "isFurther">
}): Node => {
  const { first, isFurther } = list
  const [loaded, again] = first
  const there = loaded.state === "there" ? loaded.value : undefined
  /** The first page that is known to be old: another one is not. */
  const [old, setOld] = useState<typeof there>()
  // what is on its way may have been read before the event: it is asked for anew, and answers later
  useAgain(types, () => (isFurther && there !== undefined ? setOld(there) : again()))
  const isOld = old !== undefined && old === there
  useEffect(() => {
    // further pages did not come after all
    if (isOld && !isFurther) again()
  }, [isOld, isFurther])
  if (!isOld || !isFurther) return null
  return html`<p class="note warn" role="status">What is listed here has changed since. <button type="button" class="small" onClick=${again}>Show it from its beginning</button></p>`
}
