import type { Node } from "web-tree-sitter"
import type { Declaration } from "./declarations.ts"

/** Nodes whose inside is text: a line put there would change what the code says. */
const opaque = /comment|string|template|heredoc|regex|content|jsx|text$|char/

const isHeader = (node: Node): boolean => node.startIndex === 0 && node.text.startsWith("#!")

/** Blanks before a comment that are looked at. With more, it counts as standing behind something. */
const indented = 1_000
/** Steps up, from inside of a text to where it begins. Past these, a comment goes to the top of the file. */
const mostRows = 200

const startsLine = (node: Node, source: string): boolean => {
  const before = source.slice(Math.max(0, node.startIndex - indented), node.startIndex)
  const line = before.slice(before.lastIndexOf("\n") + 1)
  return (line.length < indented || node.startIndex === indented) && /^[ \t\f\ufeff]*$/.test(line)
}

const isComment = ({ type }: Node): boolean => type.includes("comment")

const lastRow = ({ endPosition }: Node): number => (endPosition.column === 0 ? endPosition.row - 1 : endPosition.row)

/**
 * The decorators and attributes of a declaration, however far above it, and the comments on neighbouring lines above
 * all of them; from the top.
 */
export const partsAbove = ({ outer, leading }: Declaration, source: string): ReadonlyArray<Node> => {
  let from = leading.length
  let below = outer
  for (let at = leading.length - 1; at >= 0; at--) {
    const part = leading[at]!
    const before = leading[at - 1]
    if (isHeader(part)) break
    if (!isComment(part)) from = at
    else {
      const isBehind = before !== undefined && !isComment(before) && before.endPosition.row === part.startPosition.row
      if (!startsLine(part, source) && !isBehind) break
      if (from === at + 1 && below.startPosition.row - lastRow(part) <= 1) from = at
    }
    below = part
  }
  return leading.slice(from)
}

/** The row to look at next if a row continues the one above, or begins inside of a string or a comment. */
const rowAbove = (root: Node, row: number, lines: ReadonlyArray<string>): number | undefined => {
  if (row === 0) return undefined
  if (/\\\r?$/.test(lines[row - 1] ?? "")) return row - 1
  let around: Node | undefined
  for (let node = root.descendantForPosition({ row, column: 0 }); node !== null; node = node.parent) {
    const { startPosition: start, endPosition: end } = node
    const isInside = start.row < row && (end.row > row || (end.row === row && end.column > 0))
    if (isInside && opaque.test(node.type)) around = node
  }
  return around === undefined ? undefined : Math.min(around.startPosition.row, row - 1)
}

/** The 1-based line above which a comment about a function may be put; `above`: the function's `partsAbove`. */
export const commentLineOf = (
  root: Node,
  outer: Node,
  above: ReadonlyArray<Node>,
  lines: ReadonlyArray<string>
): number => {
  let row = (above[0] ?? outer).startPosition.row
  for (let steps = 0; steps < mostRows; steps++) {
    const next = rowAbove(root, row, lines)
    if (next === undefined) return row + 1
    row = next
  }
  return 1
}
