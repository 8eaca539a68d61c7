// M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980; with its author's later changes (`abli` → `bli`,
// `logi` → `log`). Both the index and the query are stemmed, so what counts is that forms of one word meet, not that stems are words.

const consonant = "[^aeiou]"
const vowel = "[aeiouy]"
const consonants = `${consonant}[^aeiouy]*`
const vowels = `${vowel}[aeiou]*`

/** Measure m of the paper: how often a vowel run is followed by a consonant run. */
const moreThan0 = new RegExp(`^(${consonants})?${vowels}${consonants}`)
const exactly1 = new RegExp(`^(${consonants})?${vowels}${consonants}(${vowels})?$`)
const moreThan1 = new RegExp(`^(${consonants})?${vowels}${consonants}${vowels}${consonants}`)
const hasVowel = new RegExp(`^(${consonants})?${vowel}`)
/** Ends consonant-vowel-consonant, the last not w, x or y: `hop`, not `snow`. */
const shortEnd = new RegExp(`^${consonants}${vowel}[^aeiouwxy]$`)
const doubled = /([^aeiouylsz])\1$/

const step2 = {
  ...{ ational: "ate", tional: "tion", enci: "ence", anci: "ance", izer: "ize", bli: "ble", alli: "al", entli: "ent" },
  ...{ eli: "e", ousli: "ous", ization: "ize", ation: "ate", ator: "ate", alism: "al", iveness: "ive" },
  ...{ fulness: "ful", ousness: "ous", aliti: "al", iviti: "ive", biliti: "ble", logi: "log" }
} as const satisfies Record<string, string>

const step3 = {
  ...{ icate: "ic", ative: "", alize: "al", iciti: "ic", ical: "ic", ful: "", ness: "" }
} as const satisfies Record<string, string>

const ending = (suffixes: ReadonlyArray<string>): RegExp => new RegExp(`^(.+?)(${suffixes.join("|")})$`)
const ends2 = ending(Object.keys(step2))
const ends3 = ending(Object.keys(step3))
const ends4 = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$|^(.+?[st])(ion)$/

const replaced = (word: string, ends: RegExp, by: { readonly [suffix: string]: string }): string => {
  const [, stem = "", suffix = ""] = ends.exec(word) ?? []
  return moreThan0.test(stem) ? stem + by[suffix]! : word
}

const plural = (word: string): string => {
  if (/(ss|i)es$/.test(word)) return word.slice(0, -2)
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

const pastOrGerund = (word: string): string => {
  const agreed = /^(.+?)eed$/.exec(word)
  if (agreed !== null) return moreThan0.test(agreed[1]!) ? word.slice(0, -1) : word
  const stem = /^(.+?)(ed|ing)$/.exec(word)?.[1]
  if (stem === undefined || !hasVowel.test(stem)) return word
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`
  if (doubled.test(stem)) return stem.slice(0, -1)
  return shortEnd.test(stem) ? `${stem}e` : stem
}

const withoutSuffix = (word: string): string => {
  const found = ends4.exec(word)
  const stem = found?.[1] ?? found?.[3]
  return stem !== undefined && moreThan1.test(stem) ? stem : word
}

const withoutFinalE = (word: string): string => {
  if (!word.endsWith("e")) return word
  const stem = word.slice(0, -1)
  return moreThan1.test(stem) || (exactly1.test(stem) && !shortEnd.test(stem)) ? stem : word
}

/** The Porter stem of an English word: lower-case a–z only, else it is given back as it is. */
export const stem = (word: string): string => {
  if (word.length < 3) return word
  // A `y` that begins a word is a consonant; the expressions above see it as a vowel.
  const initialY = word.startsWith("y")
  let stemmed = pastOrGerund(plural(initialY ? `Y${word.slice(1)}` : word))
  if (stemmed.endsWith("y") && hasVowel.test(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`
  stemmed = withoutSuffix(replaced(replaced(stemmed, ends2, step2), ends3, step3))
  stemmed = withoutFinalE(stemmed)
  if (stemmed.endsWith("ll") && moreThan1.test(stemmed)) stemmed = stemmed.slice(0, -1)
  return initialY ? `y${stemmed.slice(1)}` : stemmed
}
