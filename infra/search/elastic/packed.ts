import { fieldCount } from "#domain/search/bm25f.ts"
import type { Candidate } from "#domain/search/Candidate.ts"
import { profileIn } from "#domain/search/embeddings/Profile.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import { countIn } from "../packedCount.ts"

/** What ranking needs of a snippet, whatever the task is. */
export interface Packed extends Pick<Candidate, "id" | "lengths" | "completeness" | "verdict"> {
  /** As `profileToText` writes it. */
  readonly profile: string
  /** `undefined`: nothing in it could be read. */
  readonly vector: Vector | undefined
  /** How often each of its terms occurs, as `packCount` has it. */
  readonly counts: ReadonlyMap<string, number>
}

/** Bytes of a term's hash and of its counts. */
const entry = 8
/** Bytes before the parts of varying length: two 64-bit floats, the lengths, and the size of each such part. */
const head = 16 + 4 * fieldCount + 16

/**
 * What stands for a term, in 32 bits. Ranking takes two terms with the same hash for one. Between a snippet's terms and
 * a task's, that happens to one pair in some 20,000 searches.
 */
export const hashOf = (term: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * Writes all of it as one value, in base64, little-endian. Elasticsearch hands that over without looking into it, while
 * it would have to unpack and read a document's source. Terms lie in the order of their hashes.
 */
export const pack = ({ id, lengths, completeness, verdict, profile, vector, counts }: Packed): string => {
  const name = Buffer.from(id)
  const profileBytes = Buffer.from(profile, "base64")
  const numbers = vector?.length ?? 0
  const entries = Array.from(counts, ([term, packed]): [number, number] => [hashOf(term), packed])
  entries.sort(([one], [other]) => one - other)
  const all = Buffer.alloc(head + entry * entries.length + 4 * numbers + profileBytes.length + name.length)
  all.writeDoubleLE(completeness, 0)
  all.writeDoubleLE(verdict, 8)
  for (let field = 0; field < fieldCount; field++) all.writeUInt32LE(lengths[field]!, 16 + 4 * field)
  let at = 16 + 4 * fieldCount
  for (const size of [entries.length, numbers, profileBytes.length, name.length]) at = all.writeUInt32LE(size, at)
  for (const [hash, packed] of entries) at = all.writeUInt32LE(packed, all.writeUInt32LE(hash, at))
  for (let place = 0; place < numbers; place++) at = all.writeFloatLE(vector![place]!, at)
  at += profileBytes.copy(all, at)
  name.copy(all, at)
  return all.toString("base64")
}

/** Where the entry of a hash stands among those of `size` terms; `undefined` if none of them has it. */
const find = (bytes: DataView, size: number, hash: number): number | undefined => {
  let [low, high] = [0, size]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (bytes.getUint32(head + entry * middle, true) < hash) low = middle + 1
    else high = middle
  }
  return low < size && bytes.getUint32(head + entry * low, true) === hash ? head + entry * low : undefined
}

/**
 * Reads what `pack` wrote, as a candidate with the counts of those of its terms that `hashes` asks for. Its cosine is
 * what `nearness` says of its vector, 0 without one.
 */
export const candidateIn = (
  text: string,
  hashes: ArrayLike<number>,
  nearness: (vector: Vector) => number
): Candidate => {
  const buffer = Buffer.from(text, "base64")
  const bytes = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
  const lengths = Array.from({ length: fieldCount }, (_, field) => bytes.getUint32(16 + 4 * field, true))
  const sizes = 16 + 4 * fieldCount
  const terms = bytes.getUint32(sizes, true)
  const numbers = bytes.getUint32(sizes + 4, true)
  const counts = new Uint32Array(hashes.length * fieldCount)
  for (let place = 0; place < hashes.length; place++) {
    const found = find(bytes, terms, hashes[place]!)
    if (found === undefined) continue
    const packed = bytes.getUint32(found + 4, true)
    for (let field = 0; field < fieldCount; field++) counts[place * fieldCount + field] = countIn(packed, field)
  }
  const meaning = head + entry * terms
  const profile = meaning + 4 * numbers
  const name = profile + bytes.getUint32(sizes + 8, true)
  const vector = new Float32Array(numbers)
  for (let at = 0; at < numbers; at++) vector[at] = bytes.getFloat32(meaning + 4 * at, true)
  return {
    id: buffer.toString("utf8", name),
    counts,
    lengths,
    cosine: numbers === 0 ? 0 : nearness(vector),
    completeness: bytes.getFloat64(0, true),
    verdict: bytes.getFloat64(8, true),
    profile: profileIn(new DataView(bytes.buffer, bytes.byteOffset + profile, name - profile))
  }
}
