import { normalForm } from "../normalForm.ts"
import type { PieceTree } from "./PieceTree.ts"

/** Words of identifiers and prose, numbers, and the operators that say something in code. */
const word =
  /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\[::-1\]|\[::|\*\*|\/\/|<<|>>|==|!=|<=|>=|&&|\|\||\+\+|\+=|-=|\*=|=>|->|[%*/+<>&|^~?!@$-]/g

/** Characters of a word that are looked at: longer ones are data, and each of their characters would cost some. */
const mostCut = 64

const notAscii = /[^\x00-\x7f]/

/** Accents are folded; what is not Latin then stands in no piece. */
const folded = (text: string): string =>
  notAscii.test(text) ? normalForm(text, "NFKD").replace(/[\u0300-\u036f]/g, "") : text

/**
 * How often each piece stands in a text, in order of first occurrence. A word that is no piece itself is cut from the
 * left into the longest that there are; what none begins with is left out.
 */
export const pieceCounts = (text: string, pieces: PieceTree): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const [found] of folded(text).matchAll(word)) {
    const cut = found.toLowerCase().slice(0, mostCut)
    for (let at = 0; at < cut.length; ) {
      const end = pieces.longest(cut, at)
      if (end > at) counts.set(pieces.number, (counts.get(pieces.number) ?? 0) + 1)
      at = Math.max(end, at + 1)
    }
  }
  return counts
}

/**
 * The share of a text's letters and digits that pieces are made of, 0…1: 1 for English, 0 for Japanese. 1 where it has
 * none.
 */
export const readShare = (text: string): number => {
  if (!notAscii.test(text)) return 1
  const plain = folded(text)
  const all = plain.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return all === 0 ? 1 : (plain.match(/[A-Za-z0-9]/g)?.length ?? 0) / all
}
