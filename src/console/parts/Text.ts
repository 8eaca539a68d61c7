import { html, type Node } from "../html.ts"
import { piecesOf } from "../visible.ts"

/** What stands for pieces of a text. */
export const shown = (text: string): ReadonlyArray<Node | string> =>
  piecesOf(text).map((piece) =>
    typeof piece === "string"
      ? piece
      : html`<span class="unseen" title=${piece.name} role="img" aria-label=${piece.name}>${piece.shown}</span>`
  )

/** A text of somebody's, kept apart from what stands around it, whichever way it is written. */
export const Text = ({ of, lines = false }: { readonly of: string; readonly lines?: boolean }): Node =>
  html`<bdi class=${lines ? "text lines" : "text"}>${shown(of)}</bdi>`
