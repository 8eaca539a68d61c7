import { useEffect, useMemo, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { shown } from "../parts/Text.ts"
import { useSome } from "../parts/useSome.ts"
import { bearable } from "../visible.ts"
import { coloured, type Line, uncoloured } from "./colours.ts"

/** How many lines the browser lays out, or skips, as one group. */
const together = 100
/** How many lines are shown before somebody asks for more. */
const atFirst = 2_500
/** How many characters of a line are shown. */
const mostOfLine = 2_000

/** The lines without colours at first, and with them as soon as they are known. */
const useColoured = (source: string, language: string | undefined): ReadonlyArray<Line> => {
  const plain = useMemo(() => uncoloured(source), [source])
  const [lines, setLines] = useState<{ readonly of: string; readonly lines: ReadonlyArray<Line> }>()
  useEffect(() => {
    let left = false
    coloured(source, language).then(
      (lines) => left || lines === undefined || setLines({ of: source, lines }),
      () => undefined
    )
    return () => {
      left = true
    }
  }, [source, language])
  return lines?.of === source ? lines.lines : plain
}

const classOf = (scope: string | undefined) => scope && `hl-${scope.split(".")[0]!.replace(/[^a-z-]/g, "")}`

/** The pieces of one line, up to the most characters that are shown. */
export const lineOf = (line: Line): ReadonlyArray<Node | string> => {
  const seen: Array<Node | string> = []
  let length = 0
  for (const [scope, text] of line) {
    const part = text.slice(0, mostOfLine - length)
    length += text.length
    if (part !== "")
      seen.push(
        ...(scope ? [html`<span class=${classOf(scope)}>${shown(part)}</span>`] : (shown(part) as Array<Node | string>))
      )
  }
  const more = length - mostOfLine
  if (more > 0) seen.push(html`<span class="cut">… ${more.toLocaleString("en")} more characters</span>`)
  return seen
}

const Chunk = ({ lines, from }: { readonly lines: ReadonlyArray<Line>; readonly from: number }): Node => html`
  <div class="chunk" style=${{ "--lines": lines.length }}>
    ${lines.map((line, index) => html`<div class="line" key=${index} data-line=${from + index}><code>${lineOf(line)}${"\n"}</code></div>`)}
  </div>`

/** A source with numbered lines, in a box of its own that also scrolls by keyboard. */
export const Code = ({
  source,
  language,
  label,
  most = Number.POSITIVE_INFINITY
}: {
  readonly source: string
  readonly language: string | undefined
  readonly label: string
  /** How many lines are shown. */
  readonly most?: number
}): Node => {
  const all = useColoured(
    useMemo(() => bearable(source), [source]),
    language
  )
  const [some, more] = useSome(all, { first: Math.min(most, atFirst), step: atFirst, what: "lines" })
  const lines = some.slice(0, most)
  const chunks = Array.from({ length: Math.ceil(lines.length / together) }, (_, index) => index * together)
  return html`<div class="code" tabindex="0" role="region" aria-label=${label}>
    ${chunks.map((at) => html`<${Chunk} key=${at} lines=${lines.slice(at, at + together)} from=${at + 1} />`)}
  </div>${more && most > atFirst && html`<p class="note">${more}</p>`}`
}
