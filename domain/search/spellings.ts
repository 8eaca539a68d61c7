/** Letters of the scripts whose words are mended, in their folded form. */
const alphabets = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзиклмнопрстуфхцчшщъыьэюяєіђјљњћџґ",
  "αβγδεζηθικλμνξοπρστυφχψως",
  "אבגדהוזחטיכלמנסעפצקרשתךםןףץ",
  "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةء"
] as const

/** The fewest letters of a word that any edit may mend, and of one that only a swap of neighbours may mend. */
const least = { any: 5, swapped: 4 } as const
/** A longer word is data, and each of its letters would take time. */
export const longest = 32

/** The alphabet that a lower-case word is written in, if such a word is mended. */
const alphabetOf = (word: string): string | undefined =>
  word.length < least.swapped || word.length > longest
    ? undefined
    : alphabets.find(
        (alphabet) => alphabet.includes(word[0]!) && Array.from(word).every((one) => alphabet.includes(one))
      )

/** Whether a lower-case word is of the kind that is mended. */
export const isMendable = (word: string): boolean => alphabetOf(word) !== undefined

/**
 * What a lower-case word that is misspelt by one letter may mean: two neighbours are swapped, one letter is missing,
 * one is too many, or one is wrong. Likeliest kinds first, each word once; for a short word only the first kind.
 */
export function* spellings(word: string): Generator<string> {
  const alphabet = alphabetOf(word)
  if (alphabet === undefined) return
  const seen = new Set([word])
  const isNew = (other: string): boolean => !seen.has(other) && seen.add(other) !== undefined
  for (let at = 0; at + 1 < word.length; at++) {
    const other = word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2)
    if (isNew(other)) yield other
  }
  if (word.length < least.any) return
  for (let at = word.length; at >= 0; at--) {
    for (const letter of alphabet) {
      const other = word.slice(0, at) + letter + word.slice(at)
      if (isNew(other)) yield other
    }
  }
  for (let at = word.length - 1; at >= 0; at--) {
    const other = word.slice(0, at) + word.slice(at + 1)
    if (isNew(other)) yield other
  }
  for (let at = word.length - 1; at >= 0; at--) {
    for (const letter of alphabet) {
      const other = word.slice(0, at) + letter + word.slice(at + 1)
      if (isNew(other)) yield other
    }
  }
}
