import { boosts } from "#domain/search/bm25f.ts"
import { profileOf, profileToText } from "#domain/search/embeddings/Profile.ts"
import { hasDirection, type Vector } from "#domain/search/embeddings/vector.ts"
import { eachTerm, type Field, fields } from "#domain/search/IndexedText.ts"
import { verdict } from "#domain/search/score.ts"
import type { IndexedSnippet, Votes } from "#ports/SnippetIndex.ts"
import { packCount } from "../packedCount.ts"
import { pack } from "./packed.ts"
import { asTold, onShelf, shelvesOf } from "./shelves.ts"

/** How often a term occurs in each field, in the order of `fields`. */
export type Counts = ReadonlyArray<number>

/** What Elasticsearch keeps of a snippet besides its indices: enough to make the whole document again. */
export interface Source extends Pick<IndexedSnippet, "home" | "isPublic" | "kind" | "language" | "humanUp"> {
  /** Left out if it belongs to everyone in its home. */
  readonly agent?: string
  readonly verdict: number
  readonly lengths: { readonly [field in Field]: number }
  readonly kept: {
    readonly up: number
    readonly down: number
    readonly completeness: number
    /** The vector: 32-bit floats, big-endian, in base64. */
    readonly meaning?: string
    /** As `profileToText` writes it. */
    readonly profile: string
    readonly counts: { readonly [term: string]: Counts }
  }
}

/** More occurrences of a term in a field than these say nothing new when candidates are looked for. */
const repeated = 4

/** A vector as Elasticsearch takes it: 32-bit floats, most significant byte first, in Base64. */
export const vectorToText = (vector: Vector): string => {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4))
  for (let at = 0; at < vector.length; at++) bytes.setFloat32(at * 4, vector[at]!)
  return Buffer.from(bytes.buffer).toString("base64")
}

const vectorOf = (text: string): Vector => {
  const bytes = Buffer.from(text, "base64")
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => numbers.getFloat32(at * 4))
}

/** A snippet as the source of its document. */
export const sourceOf = (snippet: IndexedSnippet): Source => {
  const { home, isPublic, agent, kind, language, up, down, humanUp, completeness, text, vector, profile } = snippet
  const counts = new Map<string, Array<number>>()
  const lengths = { name: 0, description: 0, exampleQueries: 0, source: 0 }
  for (const [place, field] of fields.entries()) {
    eachTerm(text[field], (term, count) => {
      const known = counts.get(term) ?? [0, 0, 0, 0]
      known[place]! += count
      counts.set(term, known)
      lengths[field] += count
    })
  }
  return {
    home,
    isPublic,
    ...(agent === null ? {} : { agent }),
    kind,
    language,
    verdict: verdict(up, down),
    humanUp,
    lengths,
    kept: {
      up,
      down,
      completeness,
      ...(vector === null || !hasDirection(vector) ? {} : { meaning: vectorToText(vector) }),
      profile: profileToText(profile),
      counts: Object.fromEntries(counts)
    }
  }
}

/** The same source with other votes. */
export const voted = (source: Source, { up, down, humanUp }: Votes): Source => ({
  ...source,
  verdict: verdict(up, down),
  humanUp,
  kept: { ...source.kept, up, down }
})

/**
 * All terms as one text in which BM25 finds what BM25F finds in the fields: a word of a field that weighs three times
 * as much occurs three times.
 */
const wordsOf = (counts: Source["kept"]["counts"]): string => {
  const words: Array<string> = []
  for (const [term, byField] of Object.entries(counts)) {
    let weight = 0
    for (const [place, field] of fields.entries()) weight += boosts[field] * Math.min(byField[place]!, repeated)
    for (let at = 0; at < weight; at++) words.push(term)
  }
  return words.join(" ")
}

const packedOf = (id: string, { lengths, verdict, kept }: Source): string => {
  const { completeness, profile, meaning } = kept
  const counts = new Map<string, number>()
  for (const [term, byField] of Object.entries(kept.counts))
    counts.set(
      term,
      byField.reduce((packed, count, place) => packCount(packed, place, count), 0)
    )
  const vector = meaning === undefined ? undefined : vectorOf(meaning)
  return pack({ id, lengths: fields.map((field) => lengths[field]), completeness, verdict, profile, vector, counts })
}

/** The terms that others may learn of, if the snippet is public. */
const toldTo = ({ isPublic, kept }: Source): ReadonlyArray<string> =>
  isPublic
    ? Object.entries(kept.counts)
        .filter(([, byField]) => byField.some((count, place) => count > 0 && fields[place] !== "exampleQueries"))
        .map(([term]) => term)
    : []

/** The whole document: its source, and what is only indexed. */
export const documentOf = (id: string, source: Source): object => {
  const { meaning, counts, profile } = source.kept
  const shelves = shelvesOf(source)
  const onEach = (some: Iterable<string | number>) =>
    shelves.flatMap((shelf) => Array.from(some, (one) => onShelf(shelf, one)))
  return {
    ...source,
    words: wordsOf(counts),
    shelves,
    terms: [...onEach(Object.keys(counts)), ...toldTo(source).map(asTold)],
    pieces: onEach(profileOf(profile).pieces),
    packed: packedOf(id, source),
    ...(meaning === undefined ? {} : { vector: meaning })
  }
}
