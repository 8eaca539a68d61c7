import { Component } from "preact"
import { useRef } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { useSight } from "./sight.ts"

/** How many rows the browser lays out, or skips, as one group. */
const together = 50

const areSame = (these: ReadonlyArray<unknown>, those: ReadonlyArray<unknown>): boolean =>
  these.length === those.length && these.every((one, at) => one === those[at])

interface Given<Row> {
  readonly of: ReadonlyArray<Row>
  /** What else the rows depend on: if it changes, they are made again. */
  readonly by?: ReadonlyArray<unknown>
  readonly kind: string
  readonly show: (row: Row) => Node
}

const Group = <Row>({ of, kind, show }: Given<Row>): Node => {
  const list = useRef<HTMLUListElement>(null)
  const height = useSight(list, of.length)
  // far away, a box stands in its place
  const isFar = height !== undefined
  const style = isFar ? { blockSize: `${height}px` } : { "--rows": of.length }
  return html`<ul ref=${list} class=${`rows ${kind}`} style=${style} aria-hidden=${isFar ? "true" : undefined}>${!isFar && of.map(show)}</ul>`
}

/**
 * A group that is made again only if its rows change. The markup of before is not kept to be shown again: it would hold
 * on to all that stood around it then, for each page that was turned.
 */
class Kept<Row> extends Component<Given<Row>> {
  /** Nor is an older `show` kept, which holds on to the page that made it. */
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
 * A list that may have very many rows. Rows that come at one end leave the others as they are, and rows that are many
 * screens away are only an empty box of their height.
 */
export const Groups = <Row>({
  of,
  label,
  above = 0,
  ...given
}: Given<Row> & {
  readonly label: string
  /** How many of the rows came one by one. They stand above the others. */
  readonly above?: number
}): Node => {
  // counted from where both kinds meet, so groups stay the same whichever end the list grows at
  const [first, end] = [-Math.ceil(above / together), Math.ceil((of.length - above) / together)]
  const places = Array.from({ length: end - first }, (_, index) => first + index)
  return html`<div class="groups" role="group" aria-label=${label}>
    ${places.map((place) => {
      const from = above + place * together
      return html`<${Kept} key=${place} of=${of.slice(Math.max(0, from), from + together)} ...${given} />`
    })}</div>`
}
