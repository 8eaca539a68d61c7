import { normalForm } from "../normalForm.ts"

/** Words of identifiers and prose, numbers, and the operators that say something in code. */
const word =
  /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|\[::-1\]|\[::|\*\*|\/\/|<<|>>|==|!=|<=|>=|&&|\|\||\+\+|\+=|-=|\*=|=>|->|[%*/+<>&|^~?!@$-]/g

/** Characters of the longest piece. */
const longest = 24

/** Characters of a word that are looked at: longer ones are data, and each of their characters would cost a look-up or more. */
const mostCut = 64

const notAscii = /[^\x00-\x7f]/

/** Accents are folded; what is not Latin then stands in no piece. */
const folded = (text: string): string =>
  notAscii.test(text) ? normalForm(text, "NFKD").replace(/[\u0300-\u036f]/g, "") : text

/** Cuts a word that is no piece itself from the left into the longest that there are; what none begins with is left out. */
const cut = (word: string, numbers: ReadonlyMap<string, number>, visit: (number: number) => void): void => {
  const to = Math.min(word.length, mostCut)
  for (let at = 0; at < to; ) {
    let end = Math.min(to, at + longest)
    let found: number | undefined
    for (; end > at; end--) {
      const piece = word.slice(at, end)
      found = numbers.get(at === 0 ? piece : `##${piece}`)
      if (found !== undefined) break
    }
    if (found !== undefined) visit(found)
    at = Math.max(end, at + 1)
  }
}

/** How often each piece stands in a text, in order of first occurrence. */
export const pieceCounts = (text: string, numbers: ReadonlyMap<string, number>): Map<number, number> => {
  const counts = new Map<number, number>()
  const count = (number: number) => counts.set(number, (counts.get(number) ?? 0) + 1)
  for (const [found] of folded(text).matchAll(word)) {
    const lower = found.toLowerCase()
    const known = numbers.get(lower)
    if (known !== undefined) count(known)
    else cut(lower, numbers, count)
  }
  return counts
}

/** The share of a text's letters and digits that pieces are made of, 0…1: 1 for English, 0 for Japanese. 1 where it has none. */
export const readShare = (text: string): number => {
  if (!notAscii.test(text)) return 1
  const plain = folded(text)
  const all = plain.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return all === 0 ? 1 : (plain.match(/[A-Za-z0-9]/g)?.length ?? 0) / all
}
