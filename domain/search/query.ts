import { atOnce, type Steps } from "#engine/steps.ts"
import { beginningOf } from "../text/beginningOf.ts"
import { idf } from "./bm25f.ts"
import type { Encoder, QueryMeaning } from "./embeddings/Encoder.ts"
import type { Reading } from "./embeddings/Reading.ts"
import type { Vector } from "./embeddings/vector.ts"
import type { ModelWeights } from "./modelWeights.ts"
import { synonymsOf, synonymWeight } from "./synonyms.ts"
import { termOf } from "./Terms.ts"
import { findingFirst, withWords } from "./tokenize.ts"

/** Characters of a task that are searched: of a longer one its beginning, and its end, where the question often is. */
const looked = 20_000
const ending = 5_000
/** Characters up to which a task is searched as it stands. */
const short = 200
/** Parts of a long task besides the whole: bounds what one search costs. */
const mostParts = 6
/** Distinct terms of one part that are searched, in order of occurrence. */
const mostTerms = 64

const sentenceEnd = /(?<=[.!?;:])\s+|(?<=[。！？；])|\n+/u

/** Cuts a sentence that is longer than a part may be: between words or, if it has no spaces, anywhere. */
const cut = (sentence: string, size: number): Array<string> => {
  const pieces: Array<string> = []
  let rest = sentence
  while (rest.length > size) {
    const space = rest.lastIndexOf(" ", size)
    // in front of a blank no character is cut in two, and of none that is half already would anything be left
    const piece = space > 0 ? rest.slice(0, space) : beginningOf(rest, size)
    pieces.push(piece)
    rest = rest.slice(piece.length).trimStart()
  }
  return rest === "" ? pieces : [...pieces, rest]
}

/** The part of a task that is searched. */
export const searched = (task: string): string => {
  const whole = task.trim()
  if (whole.length <= looked) return whole
  // a character that is cut in two goes
  return `${beginningOf(whole, looked - ending)}\n${whole.slice(-ending).replace(/^[\udc00-\udfff]/, "")}`
}

/** Whether a task is searched by its parts, too, which takes several times as long. */
export const isLong = (task: string): boolean => searched(task).length > short

/**
 * The texts that are searched for a task: first the whole, or of more than 20,000 characters the beginning and the end.
 * A task of more than 200 characters is also searched by its sentences, neighbours together up to 200 characters (more
 * in a very long task, so that there are never more than six parts).
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

/** Words of a task, in lower case and folded, each with the words that it was taken for, likeliest first. */
export type Mended = ReadonlyMap<string, ReadonlyArray<string>>

export const nothingMended: Mended = new Map()

/** A task as every index searches for it: its terms and its meaning. */
export interface Asked {
  /** Every term that counts, and every synonym of one, each once. */
  readonly terms: ReadonlyArray<string>
  /**
   * The texts that are searched: the whole task, then the parts of a long one. Each term of a text has its
   * alternatives, as places in `terms`: itself, then its synonyms. A document counts with its best one.
   */
  readonly texts: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>
  /** What these texts mean, in the same order. */
  readonly meanings: ReadonlyArray<Vector>
  /** The share of the task that could be read, 0…1; 0 if its meaning says nothing. */
  readonly read: number
  /** The pieces of the whole task, for the second stage. */
  readonly reading: Reading
  readonly mended: Mended
  /** The model whose vectors the meanings are, and are compared with; if absent, the table's. */
  readonly model?: AskedModel
}

/** What an index needs of a task: plain data, which can be sent. */
export type Worded = Omit<Asked, "reading"> & { readonly reading: Pick<Reading, "pieces"> }

/** A model whose vectors a task is asked by. */
export interface AskedModel {
  readonly called: string
  readonly weights: ModelWeights
}

/**
 * Cuts a task into what is searched for. What a `mended` word is taken for joins its alternatives, as synonyms do. The
 * task's meaning is the one with the likeliest of them in its place.
 */
export function* asking(
  task: string,
  encoder: Pick<Encoder, "query" | "reading">,
  mended: Mended = nothingMended
): Steps<Asked> {
  const taken = new Map(Array.from(mended, ([word, [likeliest]]) => [word, likeliest!]))
  const meant = new Map(Array.from(mended, ([word, words]) => [termOf(word), words.map(termOf)]))
  const places = new Map<string, number>()
  const place = (term: string): number => {
    const known = places.get(term) ?? places.size
    places.set(term, known)
    return known
  }
  const alternatives = (term: string) => [term, ...new Set([...(meant.get(term) ?? []), ...synonymsOf(term)])]
  const texts = parts(task)
  const read = texts.map((text) => withWords(text, taken))
  const meanings: Array<QueryMeaning> = []
  for (const text of read) {
    meanings.push(encoder.query(text))
    yield
  }
  const words: Array<Asked["texts"][number]> = []
  for (const text of texts) {
    const terms = yield* findingFirst(text, mostTerms)
    words.push(terms.map((term) => alternatives(term).map(place)))
    yield
  }
  return {
    texts: words,
    terms: [...places.keys()],
    meanings: meanings.map(({ vector }) => vector),
    read: meanings[0]!.read,
    reading: encoder.reading(read[0]!),
    mended
  }
}

/** `asking` in one go. */
export const asked = (
  task: string,
  encoder: Pick<Encoder, "query" | "reading">,
  mended: Mended = nothingMended
): Asked => atOnce(asking(task, encoder, mended))

/** A term to look up, by its place in `Asked.terms`, and what its full saturation adds to the sum. */
export interface WeightedTerm {
  readonly term: number
  readonly weight: number
}

/** What a task's terms weigh. */
export interface QueryPlan {
  /** By text: the terms that some document has, or has a synonym of. */
  readonly texts: ReadonlyArray<ReadonlyArray<ReadonlyArray<WeightedTerm>>>
  /** The most that a document's own words could reach. */
  readonly self: number
}

/**
 * Weighs a task's terms by their rareness among the `documents` that the search may see. `frequencies` says, by place,
 * how many of them have each term. A term that none has counts as its rarest synonym, or not at all.
 */
export const plan = ({ texts }: Worded, documents: number, frequencies: ReadonlyArray<number>): QueryPlan => {
  const selves: Array<number> = []
  const weighted = texts.map((terms) => {
    let self = 0
    const some = terms.flatMap((alternatives): Array<ReadonlyArray<WeightedTerm>> => {
      const found = alternatives.flatMap((term, at): Array<WeightedTerm> => {
        const frequency = frequencies[term]!
        return frequency === 0 ? [] : [{ term, weight: (at === 0 ? 1 : synonymWeight) * idf(frequency, documents) }]
      })
      if (found.length === 0) return []
      self += found[0]!.term === alternatives[0] ? found[0]!.weight : Math.max(...found.map(({ weight }) => weight))
      return [found]
    })
    selves.push(self)
    return some
  })
  const [whole, ...others] = selves
  return { texts: weighted, self: others.length === 0 ? whole! : merged(whole!, Math.max(...others)) }
}

const wholeWeight = 0.25

/** The sum of a long task from its whole and its best part: a sentence that fits says more than the text around it. */
export const merged = (whole: number, bestPart: number): number => wholeWeight * whole + (1 - wholeWeight) * bestPart
