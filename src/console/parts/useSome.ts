import { useState } from "preact/hooks"
import { html, type Node } from "../html.ts"

/**
 * The first items of a list, and a button that shows more, a `step` at a time. A long list at once would hold the page
 * up.
 */
export const useSome = <T>(
  of: ReadonlyArray<T>,
  { first, step, what = "" }: { readonly first: number; readonly step: number; readonly what?: string }
): readonly [some: ReadonlyArray<T>, button: Node] => {
  const [most, setMost] = useState(first)
  const all = of.length.toLocaleString("en")
  const behind = what && ` ${what}`
  // stands in the button's place for a reader who has pressed it
  if (of.length <= most)
    return [of, most === first ? null : html`<span class="quiet">All ${all}${behind} are shown.</span>`]
  const isLast = of.length - most <= step
  return [
    of.slice(0, most),
    html`<button type="button" class="small" onClick=${() => setMost(most + step)}>${isLast ? `Show all ${all}` : `Show ${step.toLocaleString("en")} more of ${all}`}${behind}</button>`
  ]
}
