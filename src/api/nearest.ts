/** A longer name resembles none. */
const longest = 60

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/**
 * How many letters must be inserted, removed, changed, or swapped with a neighbour, to turn one text into the other.
 */
const distance = (one: string, other: string): number => {
  let before: Array<number> = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        least = Math.min(least, before[j - 2]! + 1)
      }
      row.push(least)
    }
    before = last
    last = row
  }
  return last[other.length]!
}

/** The known name that somebody probably meant by an unknown one; `undefined`: none is near. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  if (name.length > longest) return undefined
  const words = wordsOf(name)
  const plain = words.join("")
  const near = known
    .map((one) => ({ one, apart: distance(plain, wordsOf(one).join("")) }))
    .filter(({ one, apart }) => apart <= Math.max(1, Math.floor(Math.min(plain.length, one.length) / 3)))
    .sort((a, b) => a.apart - b.apart)[0]
  if (near !== undefined) return near.one
  // several words that only one known name has
  const within = (some: ReadonlyArray<string>, all: ReadonlyArray<string>) => some.every((word) => all.includes(word))
  const kin = known.filter((one) => words.length > 1 && within(words, wordsOf(one)))
  return kin.length === 1 ? kin[0] : undefined
}
