import { toUnit, type Vector } from "#domain/search/embeddings/vector.ts"
import { type Field, fields } from "#domain/search/IndexedText.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import { corpus, snippetOf } from "#test/evaluation.ts"

/** How far a neighbour strays from what it is made of: cosines of about .7 to 1. */
const strays = 1
/** The share of its terms that are another snippet's, and of neighbours one that has a word that no other has. */
const others = 0.3
const ownWord = 8

/** Numbers in 0…1 that are the same in every run. */
const random = (seed: number) => {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Snippets of the development sets and neighbours of them, by number: a vector that strays, terms of which some are
 * another snippet's. What a number is does not depend on how many there are.
 */
export const neighbours = () => {
  const real = [...corpus("mbpp"), ...corpus("agent30"), ...corpus("distractors")].map((document) => {
    const snippet = snippetOf(document)
    return { snippet, terms: fields.map((field) => snippet.text[field].split(" ")) }
  })
  const dimensions = real.find(({ snippet }) => snippet.vector !== null)!.snippet.vector!.length

  const vectorOf = (at: number): Vector | null => {
    const own = real[at % real.length]!.snippet.vector
    if (own === null || at < real.length) return own
    const next = random(at)
    // uniform numbers of this width make a vector of length 1 in the mean
    const width = strays * next() * 2 * Math.sqrt(3 / dimensions)
    const vector = new Float32Array(dimensions)
    for (let place = 0; place < dimensions; place++) vector[place] = own[place]! + width * (next() - 0.5)
    return toUnit(vector)
  }

  const textOf = (at: number): IndexedSnippet["text"] => {
    const { snippet, terms } = real[at % real.length]!
    if (at < real.length) return snippet.text
    const next = random(at ^ 0x5bd1e995)
    const other = real[Math.floor(next() * real.length)]!.terms
    const mixed = (place: number) =>
      terms[place]!.map((term, n) => (next() < others ? (other[place]![n] ?? term) : term)).filter(
        (term) => term !== ""
      )
    const own = at % ownWord === 0 ? [`own${at.toString(36)}`] : []
    const distinct = (some: ReadonlyArray<string>) => [
      ...new Map(some.map((entry) => [entry.split("=")[0], entry])).values()
    ]
    return Object.fromEntries(
      fields.map((field, place) => [field, distinct(place === 0 ? [...mixed(0), ...own] : mixed(place)).join(" ")])
    ) as { [field in Field]: string }
  }

  const idOf = (at: number) => {
    const mixed = (Math.imul(at, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0")
    return `${mixed}-${(at & 0xffff).toString(16).padStart(4, "0")}-4000-8000-${at.toString(16).padStart(12, "0")}`
  }

  /** As from a row of the catalogue: all of it is its own. */
  const make = (at: number, home = "home", isPublic = false): IndexedSnippet => ({
    ...real[at % real.length]!.snippet,
    id: idOf(at),
    home,
    isPublic,
    text: textOf(at),
    vector: vectorOf(at)
  })
  return { make, vectorOf, idOf, dimensions }
}
