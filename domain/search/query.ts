import { beginning } from "../beginning.ts"
import { idf } from "./bm25f.ts"
import { synonymsOf, synonymWeight } from "./synonyms.ts"
import { firstTerms } from "./tokenize.ts"

/** Characters of a task that are searched: of a longer one its beginning, and its end, where what is asked for often stands. */
const looked = 20_000
const ending = 5_000
/** Characters up to which a task is searched as it stands. */
const short = 200
/** Parts of a long task besides the whole: bounds what one search costs. */
const mostParts = 6
/** Distinct terms of one part that are searched, in order of occurrence. */
const mostTerms = 64

const sentenceEnd = /(?<=[.!?;:])\s+|(?<=[。！？；])|\n+/u

/** Cuts a sentence that is longer than a part may be between words, or where it has none, anywhere. */
const cut = (sentence: string, size: number): Array<string> => {
  const pieces: Array<string> = []
  let rest = sentence
  while (rest.length > size) {
    const space = rest.lastIndexOf(" ", size)
    const end = space > 0 ? space : size
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
  }
  return rest === "" ? pieces : [...pieces, rest]
}

/** The part of a task that is searched. */
export const searched = (task: string): string => {
  const whole = task.trim()
  return whole.length <= looked ? whole : `${beginning(whole, looked - ending)}\n${whole.slice(-ending)}`
}

/**
 * What is searched for a task: itself (of more than 20,000 characters its beginning and its end), and when it is longer than 200 characters also its sentences, neighbours together
 * up to 200 characters (more in a very long task, so that there are never more than six). The whole task always comes first.
 */
export const parts = (task: string): ReadonlyArray<string> => {
  const whole = searched(task)
  if (whole.length <= short) return [whole]
  // Packing leaves a part at least half full on average.
  const size = Math.max(short, Math.ceil((2 * whole.length) / mostParts))
  const packed: Array<string> = []
  for (const sentence of whole.split(sentenceEnd).flatMap((sentence) => cut(sentence.trim(), size))) {
    const last = packed.at(-1)
    if (last !== undefined && last.length + 1 + sentence.length <= size)
      packed[packed.length - 1] = `${last} ${sentence}`
    else if (sentence !== "") packed.push(sentence)
  }
  return [whole, ...packed.filter((part) => part !== whole).slice(0, mostParts)]
}

/** A term to look up, and what its full saturation adds to the sum. */
export interface WeightedTerm {
  readonly term: string
  readonly weight: number
}

/** One text to search by: per term of it the alternatives (itself, its synonyms), of which a document counts its best. */
export interface QueryPlan {
  readonly terms: ReadonlyArray<ReadonlyArray<WeightedTerm>>
  /** The most that a document's own words could reach. */
  readonly self: number
}

/**
 * Weighs a text's distinct terms by their rareness among the `documents` that the search may see; `df` says how many of these
 * have a term. A term that none has counts as its rarest synonym, or not at all.
 */
export const plan = (text: string, documents: number, df: (term: string) => number): QueryPlan => {
  const terms: Array<ReadonlyArray<WeightedTerm>> = []
  let self = 0
  const add = (into: Array<WeightedTerm>, term: string, weight: number) => {
    const found = df(term)
    if (found > 0) into.push({ term, weight: weight * idf(found, documents) })
  }
  for (const term of firstTerms(text, mostTerms)) {
    const own: Array<WeightedTerm> = []
    const others: Array<WeightedTerm> = []
    add(own, term, 1)
    for (const synonym of synonymsOf(term)) add(others, synonym, synonymWeight)
    self += own[0]?.weight ?? others.reduce((most, { weight }) => Math.max(most, weight), 0)
    if (own.length + others.length > 0) terms.push([...own, ...others])
  }
  return { terms, self }
}

const wholeWeight = 0.25

/** The sum of a long task from its whole and its best part: a sentence that fits says more than the text around it. */
export const merged = (whole: number, bestPart: number): number => wholeWeight * whole + (1 - wholeWeight) * bestPart
