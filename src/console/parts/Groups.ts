import { Component } from "preact"
import { useRef } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { useSight } from "./sight.ts"

/** Rows that a browser lays out, or leaves alone, together. */
const together = 50

const areSame = (these: ReadonlyArray<unknown>, those: ReadonlyArray<unknown>): boolean =>
  these.length === those.length && these.every((one, at) => one === those[at])

interface Given<Row> {
  readonly of: ReadonlyArray<Row>
  /** What else the rows are made of: where that is another, they are made anew. */
  readonly by?: ReadonlyArray<unknown>
  readonly kind: string
  readonly show: (row: Row) => Node
}

const Group = <Row>({ of, kind, show }: Given<Row>): Node => {
  const list = useRef<HTMLUListElement>(null)
  const height = useSight(list, of.length)
  // a box in its place, where it is far away
  const isFar = height !== undefined
  const style = isFar ? { blockSize: `${height}px` } : { "--rows": of.length }
  return html`<ul ref=${list} class=${`rows ${kind}`} style=${style} aria-hidden=${isFar ? "true" : undefined}>${!isFar && of.map(show)}</ul>`
}

/**
 * A group that is made anew only where its rows are others. What it was made of is not kept to be shown again: that
 * holds on to all that stood around it then, of each page that was turned.
 */
class Kept<Row> extends Component<Given<Row>> {
  /** Nor is an older `show`, with all that it was made among. */
  readonly #show = (row: Row): Node => this.props.show(row)
  override shouldComponentUpdate({ of, by = [] }: Given<Row>): boolean {
    const { of: shown, by: shownBy = [] } = this.props
    return !areSame(shown, of) || !areSame(shownBy, by)
  }
  override render(given: Given<Row>): Node {
    return html`<${Group} ...${given} show=${this.#show} />`
  }
}

/**
 * A list that may have very many rows: what comes at one end leaves the others as they are, and of what is many screens
 * away there is only the room.
 */
export const Groups = <Row>({
  of,
  label,
  above = 0,
  ...given
}: Given<Row> & {
  readonly label: string
  /** How many of the rows came before the others, one by one. */
  readonly above?: number
}): Node => {
  // counted from where both kinds meet: so groups stay what they are, whichever end the list grows at
  const [first, end] = [-Math.ceil(above / together), Math.ceil((of.length - above) / together)]
  const places = Array.from({ length: end - first }, (_, index) => first + index)
  return html`<div class="groups" role="group" aria-label=${label}>
    ${places.map((place) => {
      const from = above + place * together
      return html`<${Kept} key=${place} of=${of.slice(Math.max(0, from), from + together)} ...${given} />`
    })}</div>`
}
