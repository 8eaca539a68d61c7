/** A line that `annotate` wrote, in any language, from its comment's mark to its line end. */
const own =
  /(?:#|\/\/|\/\*|--|%|;|<!--) \[cairn (fn_[0-9a-f]{64})\] \+\d+ −\d+ · [^\r\n]{0,400}?\/api\/functions\/\1\.md(?: \*\/| -->)?(?:\r\n|\n|\r|(?![\s\S]))/y

/** What every such line has behind its mark. */
const sign = "[cairn fn_"
const marks = ["# ", "// ", "/* ", "-- ", "% ", "; ", "<!-- "]

/** Places that are checked in one step. */
const stretch = 500

/** Where such a line is in a source, including the blanks before it and its line end. */
export interface OwnLine {
  readonly from: number
  readonly to: number
}

const isStart = (source: string, at: number): boolean =>
  at === 0 || (at === 1 && source[0] === "\ufeff") || source[at - 1] === "\n" || source[at - 1] === "\r"

const lineWith = (source: string, at: number): OwnLine | undefined => {
  for (const mark of marks) {
    const marked = at - mark.length
    if (marked < 0 || !source.startsWith(mark, marked)) continue
    let from = marked
    while (source[from - 1] === " " || source[from - 1] === "\t") from--
    if (!isStart(source, from)) continue
    own.lastIndex = marked
    if (own.test(source)) return { from, to: own.lastIndex }
  }
  return undefined
}

/** The lines that `annotate` put into a source, in order. Other work can run between steps. */
export function* ownLinesIn(source: string): Generator<void, ReadonlyArray<OwnLine>> {
  const lines: Array<OwnLine> = []
  let places = 0
  for (let at = source.indexOf(sign); at >= 0; ) {
    const line = lineWith(source, at)
    if (line !== undefined) lines.push(line)
    at = source.indexOf(sign, line?.to ?? at + sign.length)
    places += 1
    if (places % stretch === 0) yield
  }
  return lines
}

/** A source without the given lines, which are in order and do not overlap. */
export const withoutLines = (source: string, lines: ReadonlyArray<OwnLine>): string => {
  if (lines.length === 0) return source
  let from = 0
  const kept = lines.map((line) => {
    const before = source.slice(from, line.from)
    from = line.to
    return before
  })
  return kept.join("") + source.slice(from)
}
