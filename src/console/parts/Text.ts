import { html, type Node } from "../html.ts"
import { piecesOf } from "../visible.ts"
import { number } from "./figures.ts"
import { endOfPiece } from "./stretches.ts"

/** What stands for pieces of a text. */
export const shown = (text: string): ReadonlyArray<Node | string> =>
  piecesOf(text).map((piece) =>
    typeof piece === "string"
      ? piece
      : html`<span class="unseen" title=${piece.name} role="img" aria-label=${piece.name}>${piece.shown}</span>`
  )

/** Characters of what is told in passing: a list has many of them, and nobody reads more of one there. */
const most = 2_000

/**
 * A text of somebody's in the middle of others, kept apart from what stands around it, whichever way it is written.
 * What is read for its own sake is `Long`.
 */
export const Text = ({ of }: { readonly of: string }): Node => {
  const end = endOfPiece(of, 0, most)
  return html`<bdi class="text">${shown(of.slice(0, end))}${end < of.length && html`<span class="cut">… ${number(of.length - end)} more characters</span>`}</bdi>`
}
