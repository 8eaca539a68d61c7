import type { Node, TreeCursor } from "web-tree-sitter"

/** A syntax tree in this process's own memory: walking it costs no calls into the parser. */
export interface Syntax {
  readonly type: string
  readonly field: string | null
  readonly isNamed: boolean
  /** Of a leaf; `""` otherwise. */
  readonly text: string
  readonly children: ReadonlyArray<Syntax>
}

/** A larger or deeper function is not taken apart: that is generated code. */
const mostNodes = 100_000
const deepest = 400

/** Nodes in which blanks are content. */
const isContent = (type: string): boolean =>
  /string|template|heredoc|regex|char|content|text$|subshell|symbol/.test(type)

const skipped = /comment|^line_continuation$/

/** Copies a tree without its comments; `undefined` when it is too large. `source` is the text of the whole file. */
export const syntaxOf = (node: Node, source: string): Syntax | undefined => {
  let count = 0

  /** What stands between children and belongs to none of them: the plain characters of a string with escapes, say. */
  const between = (type: string, from: number, to: number): ReadonlyArray<Syntax> => {
    if (to <= from) return []
    const text = source.slice(from, to)
    if (!isContent(type) && /^[\s\\]*$/.test(text)) return []
    return [{ type: "between", field: null, isNamed: false, text, children: [] }]
  }

  // Each question to the cursor is a call into the parser: none is asked twice.
  const read = (cursor: TreeCursor, depth: number, type: string, from: number, to: number): Syntax | undefined => {
    if (++count > mostNodes || depth > deepest) return undefined
    const { currentFieldName: field, nodeIsNamed: isNamed } = cursor
    if (from === to || !cursor.gotoFirstChild()) {
      return { type, field, isNamed, text: source.slice(from, to), children: [] }
    }
    const children: Array<Syntax> = []
    let at = from
    do {
      const { nodeType, startIndex, endIndex } = cursor
      children.push(...between(type, at, startIndex))
      at = endIndex
      if (skipped.test(nodeType)) continue
      const child = read(cursor, depth + 1, nodeType, startIndex, endIndex)
      if (child === undefined) return undefined
      children.push(child)
    } while (cursor.gotoNextSibling())
    cursor.gotoParent()
    children.push(...between(type, at, to))
    return { type, field, isNamed, text: "", children }
  }

  const cursor = node.walk()
  try {
    return read(cursor, 0, node.type, node.startIndex, node.endIndex)
  } finally {
    cursor.delete()
  }
}

/** The child that a node has in a field of the grammar; `undefined`: it has none. */
export const childAt = (node: Syntax, field: string): Syntax | undefined =>
  node.children.find((child) => child.field === field)

/** The text of a node and all that is in it. */
export const textOf = (node: Syntax): string =>
  node.children.length === 0 ? node.text : node.children.map(textOf).join("")
