import { useEffect, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { useAgain } from "./useLive.ts"

/**
 * Calls for a list anew when events of these types came. Who has gone further than its first page would lose their
 * place by that, again at each event: they are told, and ask themselves.
 */
export const Renewed = ({
  types,
  isFurther,
  again
}: {
  readonly types: ReadonlyArray<string>
  readonly isFurther: boolean
  readonly again: () => void
}): Node => {
  const [isOld, setOld] = useState(false)
  useAgain(types, () => (isFurther ? setOld(true) : again()))
  useEffect(() => {
    if (!isFurther) setOld(false)
  }, [isFurther])
  if (!isOld || !isFurther) return null
  return html`<p class="note warn" role="status">What is listed here has changed since. <button type="button" class="small" onClick=${again}>Show it from its beginning</button></p>`
}
