import { profileToText } from "#domain/search/embeddings/Profile.ts"
import { hasDirection, type Vector } from "#domain/search/embeddings/vector.ts"
import { eachTerm, type Field, fields } from "#domain/search/IndexedText.ts"
import { verdict } from "#domain/search/score.ts"
import type { IndexedSnippet, Votes } from "#ports/SnippetIndex.ts"

/** How often a term occurs in each field, in the order of `fields`. */
export type Counts = ReadonlyArray<number>

/** What Elasticsearch keeps of a snippet beside its indices: enough to make all of its document of it. */
export interface Source extends Pick<IndexedSnippet, "home" | "isPublic" | "kind" | "language" | "humanUp"> {
  /** Left out: of everyone in its home. */
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
  /** The numbers of its pieces: a search asks how many snippets have one. */
  readonly pieces: ReadonlyArray<number>
}

/** More occurrences of a term in a field than these say nothing new to who looks for candidates. */
const repeated = 4

const vectorToText = (vector: Vector): string => {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4))
  for (let at = 0; at < vector.length; at++) bytes.setFloat32(at * 4, vector[at]!)
  return Buffer.from(bytes.buffer).toString("base64")
}

/** A vector as the catalogue keeps it: 32-bit floats, in Base64. */
export const vectorOf = (text: string): Vector => {
  const bytes = Buffer.from(text, "base64")
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => numbers.getFloat32(at * 4))
}

/** A snippet as the document that is sent. */
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
    },
    pieces: Array.from(profile.pieces)
  }
}

/** The same with other votes. */
export const voted = (source: Source, { up, down, humanUp }: Votes): Source => ({
  ...source,
  verdict: verdict(up, down),
  humanUp,
  kept: { ...source.kept, up, down }
})

/** The whole document: what is kept, and what is only indexed. */
export const documentOf = (source: Source): object => {
  const { meaning, counts } = source.kept
  const words = fields.map((): Array<string> => [])
  for (const [term, byField] of Object.entries(counts)) {
    for (const [place, count] of byField.entries())
      for (let at = 0; at < Math.min(count, repeated); at++) words[place]!.push(term)
  }
  const texts = Object.fromEntries(fields.map((field, place) => [field, words[place]!.join(" ")]))
  return { ...source, ...texts, terms: Object.keys(counts), ...(meaning === undefined ? {} : { vector: meaning }) }
}
