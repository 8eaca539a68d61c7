import { normalForm } from "../normalForm.ts"
import type { PieceTree } from "./PieceTree.ts"

/** Words of identifiers and prose, numbers, and the operators that say something in code. */
const word =
  /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\[::-1\]|\[::|\*\*|\/\/|<<|>>|==|!=|<=|>=|&&|\|\||\+\+|\+=|-=|\*=|=>|->|[%*/+<>&|^~?!@$-]/g

/** Characters of a word that are looked at: longer words are data, and each of their characters takes time. */
const mostCut = 64

const notAscii = /[^\x00-\x7f]/

/** Folds accents. What is not Latin is then in no piece. */
const folded = (text: string): string =>
  notAscii.test(text) ? normalForm(text, "NFKD").replace(/[\u0300-\u036f]/g, "") : text

/**
 * How often each piece occurs in a text, in order of first occurrence. A word that is no piece is cut from the left
 * into the longest pieces there are; a character that begins none is left out.
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
 * The mean number of letters that the pieces of a word must have for the word to say something: shorter pieces make up
 * any word.
 */
const leastLetters = 3.5

/** The letters of a word that is understood; 0 if it is made of scraps. */
const understood = (word: string, pieces: PieceTree): number => {
  const cut = word.toLowerCase().slice(0, mostCut)
  let count = 0
  for (let at = 0; at < cut.length; count++) at = Math.max(pieces.longest(cut, at), at + 1)
  return count === 1 || cut.length / count >= leastLetters ? word.length : 0
}

const isLetters = /^[A-Za-z]/

/**
 * The share of a text's letters and digits that could be understood, 0…1: digits, and words that are pieces or made of
 * few. 1 for most English, 0 for Japanese and for what no language has, 1 for a text with neither.
 */
export const readShare = (text: string, pieces: PieceTree): number => {
  const plain = folded(text)
  const all = notAscii.test(plain)
    ? (plain.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
    : (plain.match(/[A-Za-z0-9]/g)?.length ?? 0)
  if (all === 0) return 1
  let sum = plain.match(/[0-9]/g)?.length ?? 0
  for (const [found] of plain.matchAll(word)) if (isLetters.test(found)) sum += understood(found, pieces)
  return Math.min(1, sum / all)
}
