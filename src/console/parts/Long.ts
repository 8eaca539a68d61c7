import { useMemo, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { bearable, plain } from "../visible.ts"
import { number } from "./figures.ts"
import { piecesUpTo, stretchesOf } from "./stretches.ts"
import { shown } from "./Text.ts"

/** How many characters are shown at first, and how many more each time that somebody asks. */
const [atFirst, step] = [20_000, 200_000]
/** Characters in a line of an ordinary screen. The height of a stretch is guessed from it. */
const acrossScreen = 100

const linesOf = (stretch: string): number =>
  stretch.split("\n").reduce((sum, { length }) => sum + Math.ceil((length + 1) / acrossScreen), 0)

/** A part of the text that is shown at once. It is made once. */
const Portion = ({ of }: { readonly of: string }): Node =>
  useMemo(() => {
    const stretches = stretchesOf(bearable(of))
    if (stretches.length === 1) return html`<bdi class="text lines">${shown(stretches[0]!)}</bdi>`
    return html`${stretches.map((one, index) => html`<bdi key=${index} class="text lines stretch" style=${{ "--lines": linesOf(one) }}>${shown(one)}</bdi>`)}`
  }, [of])

/**
 * A text of any length with its lines: a part of it at first, and more each time that somebody asks. With `label`, it
 * is in a box of its own, which scrolls.
 */
export const Long = ({ of, label }: { readonly of: string; readonly label?: string }): Node => {
  const [count, setCount] = useState(1)
  const portions = piecesUpTo(of, (index) => (index === 0 ? atFirst : step), count)
  const left = of.length - portions.reduce((sum, { length }) => sum + length, 0)
  const all = html`${portions.map((portion, index) => html`<${Portion} key=${index} of=${portion} />`)}`
  const more = left <= step ? "Show all" : `Show ${number(step)} more`
  return html`${label === undefined ? all : html`<pre tabindex="0" role="region" aria-label=${plain(label)}>${all}</pre>`}
    ${(left > 0 || count > 1) && html`<span class="quiet cut-off">${left > 0 ? html`${number(left)} of ${number(of.length)} characters are not shown. <button type="button" class="small" onClick=${() => setCount(count + 1)}>${more}</button>` : html`<span>The whole text is shown.</span>`}</span>`}`
}
