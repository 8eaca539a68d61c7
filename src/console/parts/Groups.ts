import { useRef } from "preact/hooks"
import { html, type Node } from "../html.ts"

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

const Group = <Row>({ of, by = [], kind, show }: Given<Row>): Node => {
  const made = useRef<
    { readonly of: ReadonlyArray<Row>; readonly by: ReadonlyArray<unknown>; readonly list: Node } | undefined
  >(undefined)
  const before = made.current
  // a list that is the same object as before is not looked through
  if (before !== undefined && areSame(before.of, of) && areSame(before.by, by)) return before.list
  const list = html`<ul class=${`rows ${kind}`} style=${{ "--rows": of.length }}>${of.map(show)}</ul>`
  made.current = { of, by, list }
  return list
}

/** A list that may have very many rows: what comes at one end leaves the others as they are. */
export const Groups = <Row>({
  of,
  keyOf,
  label,
  growsAtTop = false,
  ...given
}: Given<Row> & {
  readonly keyOf: (row: Row) => string
  readonly label: string
  /** New rows come before the others, and not behind them. */
  readonly growsAtTop?: boolean
}): Node => {
  const count = Math.ceil(of.length / together)
  const first = growsAtTop ? of.length - (count - 1) * together : together
  const groups = Array.from({ length: count }, (_, index) =>
    of.slice(index === 0 ? 0 : first + (index - 1) * together, first + index * together)
  )
  return html`<div class="groups" role="group" aria-label=${label}>
    ${groups.map((rows) => html`<${Group} key=${keyOf((growsAtTop ? rows.at(-1) : rows[0])!)} of=${rows} ...${given} />`)}</div>`
}
