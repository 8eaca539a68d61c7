/** A piece of a line, and what it is in the language: a keyword, a string, … */
export type Coloured = readonly [scope: string | undefined, text: string]
export type Line = ReadonlyArray<Coloured>

/** The most characters of a source, and of each of its lines, for it to be coloured. */
const mostColoured = 200_000
const mostOfLine = 1_000
/** How many characters are coloured at once, and how many milliseconds a whole source may take. */
const atOnce = 6_000
const patience = 400

/** The highlighter's output as a list. It never becomes markup. */
class Pieces {
  pieces: Array<Coloured> = []
  readonly #scopes: Array<string> = []

  addText(text: string): void {
    if (text !== "") this.pieces.push([this.#scopes.at(-1), text])
  }
  openNode(scope: string): void {
    this.#scopes.push(scope)
  }
  closeNode(): void {
    this.#scopes.pop()
  }
  startScope(scope: string): void {
    this.openNode(scope)
  }
  endScope(): void {
    this.closeNode()
  }
  __addSublanguage(other: Pieces): void {
    this.pieces.push(...other.pieces)
  }
  finalize(): void {}
  toHTML(): string {
    return ""
  }
}

/** The lines that pieces of a source make. */
export const linesOf = (pieces: ReadonlyArray<Coloured>): ReadonlyArray<Line> => {
  const lines: Array<Array<Coloured>> = [[]]
  for (const [scope, text] of pieces) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([])
      if (part !== "") lines.at(-1)!.push([scope, part])
    }
  }
  // behind the end of the last line there is no further line
  if (lines.length > 1 && lines.at(-1)!.length === 0) lines.pop()
  return lines
}

/** The lines of a source without colours. */
export const uncoloured = (source: string): ReadonlyArray<Line> => linesOf([[undefined, source]])

/** A source in short pieces. Each begins where something new seems to begin. */
export const portionsOf = (source: string): ReadonlyArray<string> => {
  const portions: Array<string> = []
  let from = 0
  while (source.length - from > atOnce) {
    const part = source.slice(from, from + atOnce)
    // a paragraph that is not indented is hardly ever within a string or a comment
    const paragraph = [...part.matchAll(/\n\r?\n(?=\S)/g)].at(-1)
    const isFar = paragraph !== undefined && paragraph.index > atOnce / 2
    const end = isFar ? paragraph.index + paragraph[0].length - 1 : part.lastIndexOf("\n")
    portions.push(source.slice(from, from + end + 1))
    from += end + 1
  }
  return [...portions, source.slice(from)]
}

const hasLongLine = (source: string): boolean => source.split("\n").some(({ length }) => length > mostOfLine)

/**
 * The lines of a source with their colours; `undefined`: its language is not known, or it is too long. The time that a
 * grammar takes may grow with the square of a text's length, and a hostile text may be written for that. So it gets a
 * little at a time, and when that has taken too long, the rest stays without colours.
 */
export const coloured = async (
  source: string,
  language: string | undefined
): Promise<ReadonlyArray<Line> | undefined> => {
  if (language === undefined || source.length > mostColoured || hasLongLine(source)) return undefined
  const { default: highlighter } = await import("highlight.js")
  if (!highlighter.getLanguage(language)) {
    const name = `highlight.js/${language}.min.js`
    const grammar = (await import(name)) as { readonly default: unknown }
    highlighter.configure({ __emitter: Pieces })
    highlighter.registerLanguage(language, grammar.default)
  }
  const all: Array<Coloured> = []
  let taken = 0
  for (const portion of portionsOf(source)) {
    if (taken > patience) {
      all.push([undefined, portion])
      continue
    }
    const began = performance.now()
    const { pieces } = highlighter.highlight(portion, { language, ignoreIllegals: true })._emitter as Pieces
    taken += performance.now() - began
    // a grammar that gave up in the middle leaves something out
    if (pieces.map(([, text]) => text).join("") !== portion) return undefined
    all.push(...pieces)
    // the page can do other things in between
    await new Promise((resolve) => setTimeout(resolve))
  }
  return linesOf(all)
}
