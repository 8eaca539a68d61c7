/**
 * Where a piece of a text ends that begins at `from` and is `most` long at the most: behind the end of a line, where
 * there is one in its second half, and else not within a character.
 */
export const endOfPiece = (text: string, from: number, most: number): number => {
  if (text.length - from <= most) return text.length
  const line = text.slice(from, from + most).lastIndexOf("\n")
  if (line >= most / 2) return from + line + 1
  return from + most - (/[\ud800-\udbff]/.test(text.charAt(from + most - 1)) ? 1 : 0)
}

/** A text in pieces, of which each has a length at the most; `count`: no more than so many from its beginning. */
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

/** Characters of a stretch. */
const most = 2_000

/**
 * A text in stretches that a browser lays out one by one: for a paragraph without a blank it takes the square of its
 * length, which in some scripts are many seconds for 100,000 characters.
 */
export const stretchesOf = (text: string): ReadonlyArray<string> => piecesUpTo(text, () => most)
