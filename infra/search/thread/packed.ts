import type { Steps } from "#engine/steps.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import type { PackedIds, PackedSnippets } from "./protocol.ts"

const none = -1

/** Snippets as they are sent to the thread. */
export const packed = (put: ReadonlyArray<IndexedSnippet>): PackedSnippets => {
  const counts = put.map(({ vector }) => vector?.length ?? none)
  const pieceCounts = put.map(({ profile }) => profile.pieces.length)
  const numbers = new Float32Array(counts.reduce((sum, count) => sum + Math.max(0, count), 0))
  const pieces = new Uint16Array(pieceCounts.reduce((sum, count) => sum + count, 0))
  let [number, piece] = [0, 0]
  const snippets = put.map(({ vector, profile: { pieces: own, ...profile }, ...snippet }) => {
    if (vector !== null) numbers.set(vector, number)
    pieces.set(own, piece)
    number += vector?.length ?? 0
    piece += own.length
    return { ...snippet, profile }
  })
  return { snippets, numbers: numbers.buffer, counts, pieces: pieces.buffer, pieceCounts }
}

/** The snippets that were `packed`. Their vectors and pieces stay in the memory that they came in. */
export const unpacked = ({
  snippets,
  numbers: numbersOf,
  counts,
  pieces: piecesOf,
  pieceCounts
}: PackedSnippets): ReadonlyArray<IndexedSnippet> => {
  const [numbers, pieces] = [new Float32Array(numbersOf), new Uint16Array(piecesOf)]
  let [number, piece] = [0, 0]
  return snippets.map((snippet, at) => {
    const [count, pieceCount] = [counts[at]!, pieceCounts[at]!]
    const vector = count === none ? null : numbers.subarray(number, number + count)
    const profile = { ...snippet.profile, pieces: pieces.subarray(piece, piece + pieceCount) }
    number += Math.max(0, count)
    piece += pieceCount
    return { ...snippet, vector, profile }
  })
}

/** Ids that are packed or unpacked in one go: some tenth of a millisecond. */
const stretch = 500

/** Ids as they are sent to the thread. */
export function* packedIds(ids: ReadonlySet<string>): Steps<PackedIds> {
  const parts: Array<Buffer> = []
  let some: Array<string> = []
  const part = () => {
    parts.push(Buffer.from(JSON.stringify(some)))
    some = []
  }
  for (const id of ids) {
    if (some.push(id) < stretch) continue
    part()
    yield
  }
  part()
  const memory = new SharedArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0))
  const bytes = new Uint8Array(memory)
  const ends: Array<number> = []
  let end = 0
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
    ends.push(end)
    yield
  }
  return { memory, ends }
}

/** The ids that `packedIds` packed. */
export function* unpackedIds({ memory, ends }: PackedIds): Steps<ReadonlySet<string>> {
  const bytes = new Uint8Array(memory)
  const ids = new Set<string>()
  let from = 0
  for (const end of ends) {
    const part: ReadonlyArray<string> = JSON.parse(Buffer.from(bytes.slice(from, end)).toString())
    for (const id of part) ids.add(id)
    from = end
    yield
  }
  return ids
}
