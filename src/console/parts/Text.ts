import { html, type Node } from "../html.ts"
import { piecesOf } from "../visible.ts"
import { number } from "./figures.ts"
import { endOfPiece } from "./stretches.ts"

/** A text's pieces as they are shown. */
export const shown = (text: string): ReadonlyArray<Node | string> =>
  piecesOf(text).map((piece) =>
    typeof piece === "string"
      ? piece
      : html`<span class="unseen" title=${piece.name} role="img" aria-label=${piece.name}>${piece.shown}</span>`
  )

/** The most characters of a text that is shown in passing: lists have many, and nobody reads more of one there. */
const most = 2_000

/**
 * Somebody's text in the middle of others. Whichever direction it is written in, it does not turn what is around it. A
 * text that is read for its own sake is `Long`.
 */
export const Text = ({ of }: { readonly of: string }): Node => {
  const end = endOfPiece(of, 0, most)
  return html`<bdi class="text">${shown(of.slice(0, end))}${end < of.length && html`<span class="cut">… ${number(of.length - end)} more characters</span>`}</bdi>`
}
