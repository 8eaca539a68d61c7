import { useState } from "preact/hooks"
import { html, type Node } from "../html.ts"

/**
 * The first so many of a list, and a button that shows more of it, a `step` at a time: all at once would hold the page
 * up where it is long.
 */
export const useSome = <T>(
  of: ReadonlyArray<T>,
  { first, step, what = "" }: { readonly first: number; readonly step: number; readonly what?: string }
): readonly [some: ReadonlyArray<T>, button: Node] => {
  const [most, setMost] = useState(first)
  const all = of.length.toLocaleString("en")
  const behind = what && ` ${what}`
  // in the button's place, for who has pressed it
  if (of.length <= most)
    return [of, most === first ? null : html`<span class="quiet">All ${all}${behind} are shown.</span>`]
  const isLast = of.length - most <= step
  return [
    of.slice(0, most),
    html`<button type="button" class="small" onClick=${() => setMost(most + step)}>${isLast ? `Show all ${all}` : `Show ${step.toLocaleString("en")} more of ${all}`}${behind}</button>`
  ]
}
