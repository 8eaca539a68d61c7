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

interface Made {
  readonly of: ReadonlyArray<unknown>
  readonly by: ReadonlyArray<unknown>
  readonly height: number | undefined
  readonly list: Node
}

const Group = <Row>({ of, by = [], kind, show }: Given<Row>): Node => {
  const made = useRef<Made | undefined>(undefined)
  const list = useRef<HTMLUListElement>(null)
  const height = useSight(list, of.length)
  const before = made.current
  // a list that is the same object as before is not looked through
  if (before !== undefined && before.height === height && areSame(before.of, of) && areSame(before.by, by))
    return before.list
  // a box in its place, where it is far away
  const isFar = height !== undefined
  const style = isFar ? { blockSize: `${height}px` } : { "--rows": of.length }
  const now = html`<ul ref=${list} class=${`rows ${kind}`} style=${style} aria-hidden=${isFar ? "true" : undefined}>${!isFar && of.map(show)}</ul>`
  made.current = { of, by, height, list: now }
  return now
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
      return html`<${Group} key=${place} of=${of.slice(Math.max(0, from), from + together)} ...${given} />`
    })}</div>`
}
