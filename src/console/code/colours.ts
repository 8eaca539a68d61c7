/** A piece of a line, and what it is in its language. */
export type Coloured = readonly [scope: string | undefined, text: string]
export type Line = ReadonlyArray<Coloured>

/** Characters above which nothing is coloured, and in a line which is shown in part. */
const mostColoured = 200_000

/** What the highlighter says, as a list: nothing of it ever becomes markup. */
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
  // the end of the last line is no line
  if (lines.length > 1 && lines.at(-1)!.length === 0) lines.pop()
  return lines
}

/** The lines of a source without colours. */
export const uncoloured = (source: string): ReadonlyArray<Line> => linesOf([[undefined, source]])

/** The lines of a source with their colours; without, where the language is not known or the source is long. */
export const coloured = async (source: string, language: string | undefined): Promise<ReadonlyArray<Line>> => {
  if (language === undefined || source.length > mostColoured) return uncoloured(source)
  const { default: highlighter } = await import("highlight.js")
  if (!highlighter.getLanguage(language)) {
    const name = `highlight.js/${language}.min.js`
    const grammar = (await import(name)) as { readonly default: unknown }
    highlighter.configure({ __emitter: Pieces })
    highlighter.registerLanguage(language, grammar.default)
  }
  const { pieces } = highlighter.highlight(source, { language, ignoreIllegals: true })._emitter as Pieces
  // a grammar that gave up in the middle has not said all
  return pieces.map(([, text]) => text).join("") === source ? linesOf(pieces) : uncoloured(source)
}
