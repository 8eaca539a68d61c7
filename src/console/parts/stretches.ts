/**
 * The end of a text's piece that begins at `from` and has at most `most` characters. It is behind the end of a line, if
 * there is one in the piece's second half, and never within a surrogate pair.
 */
export const endOfPiece = (text: string, from: number, most: number): number => {
  if (text.length - from <= most) return text.length
  const line = text.slice(from, from + most).lastIndexOf("\n")
  if (line >= most / 2) return from + line + 1
  return from + most - (/[\ud800-\udbff]/.test(text.charAt(from + most - 1)) ? 1 : 0)
}

/** A text in pieces of bounded lengths; `count`: at most so many pieces from its beginning. */
export const piecesUpTo = (
  text: string,
  mostOf: (index: number) => number,
  count = Number.POSITIVE_INFINITY
): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let from = 0; from < text.length && pieces.length < count; ) {
    const end = endOfPiece(text, from, mostOf(pieces.length))
    pieces.push(text.slice(from, end))
    from = end
  }
  return pieces
}

/** How many characters a stretch has at most. */
const most = 2_000

/**
 * A text in stretches that a browser lays out one by one. The time for a paragraph without a space grows with the
 * square of its length: in some scripts, 100,000 characters take many seconds.
 */
export const stretchesOf = (text: string): ReadonlyArray<string> => piecesUpTo(text, () => most)
