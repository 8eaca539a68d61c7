import { beginningOf } from "../../text/beginningOf.ts"
import type { EmbeddingTable } from "./EmbeddingTable.ts"
import { PieceTree } from "./PieceTree.ts"
import type { Profile } from "./Profile.ts"
import { pieceCounts, readShare } from "./pieces.ts"
import { Desk, type Products, Reading, type Rows } from "./Reading.ts"
import { toUnit, type Vector } from "./vector.ts"

/** The parts of a snippet that are encoded. */
export interface EncodedText {
  readonly name: string
  readonly description: string
  readonly source: string
}

/** What a query means. */
export interface QueryMeaning {
  /** Of length 1; zeros if nothing in the query can be read. */
  readonly vector: Vector
  /** The share of the query that could be read, 0…1; 0 when the vector is zeros. */
  readonly read: number
}

/** Makes vectors of texts. Pure: the same text gives the same vector, on every machine and runtime. */
export interface Encoder {
  readonly dimensions: number
  /**
   * The sum of a snippet's fields, not yet of length 1, so that its tasks can be added. Only the beginning of the
   * source counts.
   */
  readonly snippet: (text: EncodedText) => Vector
  /** The sum of the tasks that a snippet was used for, to be added to the snippet's. */
  readonly tasks: (tasks: ReadonlyArray<string>) => Vector
  /** What a query means: of length 1, unlike those of snippets. */
  readonly query: (text: string) => QueryMeaning
  /** What the second stage needs of a snippet with this meaning (`null`: nothing in it can be read). */
  readonly profile: (text: EncodedText, tasks: ReadonlyArray<string>, meaning: Vector | null) => Profile
  /** The same profile with other tasks. */
  readonly profileWith: (profile: Profile, tasks: ReadonlyArray<string>, meaning: Vector | null) => Profile
  /** The letters of a piece, by its number. */
  readonly pieceText: (piece: number) => string
  /** A task as the second stage reads it. */
  readonly reading: (task: string) => Reading
  /** Whether a lower-case word is one piece. */
  readonly isWord: (word: string) => boolean
}

/** Characters of a source that are encoded: the rest repeats them, and would cost as much again. */
const sourceEncoded = 2_500
/** Characters of one task that are encoded, and of all tasks of a snippet. Many long tasks get an equal share each. */
const taskEncoded = 2_500
const tasksEncoded = 50_000
/** Characters of a name, of a description and of a query that are encoded. */
const encoded = 20_000

/**
 * The weight of a snippet's tasks, the same as its name's. The description's weight finds as well, but with this one
 * the same task asked again comes out nearer. With more, a snippet of many tasks is found less well.
 */
const taskWeight = 2

/** Pieces of a snippet's tasks that are kept beside its own. */
const mostTaskPieces = 500

interface Table extends EmbeddingTable {
  readonly tree: PieceTree
}

/** Adds the rows of a text's pieces, each weighed by how often it occurs, over a power of the sum of these weights. */
const add = (table: Table, to: Vector, text: string, weight: number, power: number): void => {
  if (text === "") return
  const { dimensions, rows, scales, tree } = table
  const counts = pieceCounts(text, tree)
  let sum = 0
  for (const count of counts.values()) sum += 1 + Math.log(count)
  if (sum === 0) return
  const share = weight / sum ** power
  for (const [number, count] of counts) {
    const factor = share * (1 + Math.log(count)) * scales[number]!
    const from = number * dimensions
    for (let at = 0; at < dimensions; at++) to[at]! += factor * rows[from + at]!
  }
}

/** All tasks, each cut to an equal share of the room. */
const textOf = (tasks: ReadonlyArray<string>): string => {
  const share = Math.min(taskEncoded, Math.floor(tasksEncoded / Math.max(1, tasks.length)))
  return tasks.map((task) => task.slice(0, share)).join("\n")
}

/**
 * The encoder of a table, which must not change any more. `hub` says how near a vector of length 1 is to everything;
 * `products` multiplies the table's rows.
 */
export const makeEncoder = (
  embeddings: EmbeddingTable,
  hub: (meaning: Vector) => number,
  products: Products
): Encoder => {
  const table: Table = { ...embeddings, tree: new PieceTree(embeddings.pieces) }
  const { dimensions, weights, powers } = table
  const count = embeddings.scales.length
  const rows: Rows = { ...embeddings, norms: new Float64Array(count), products, desk: new Desk(count) }
  const piecesOf = (text: string) => pieceCounts(text, table.tree)
  let texts: ReadonlyArray<string> | undefined

  const profileWith: Encoder["profileWith"] = (profile, tasks, meaning) => {
    const own = profile.pieces.subarray(0, profile.own)
    const all = new Set(own)
    for (const piece of piecesOf(textOf(tasks)).keys()) if (all.size < profile.own + mostTaskPieces) all.add(piece)
    return { ...profile, pieces: Uint16Array.from(all), hub: meaning === null ? 0 : hub(meaning) }
  }
  return {
    dimensions,
    profileWith,
    profile: ({ name, description, source }, tasks, meaning) => {
      const pieces = new Set<number>()
      const add = (text: string): number => {
        for (const piece of piecesOf(text).keys()) pieces.add(piece)
        return pieces.size
      }
      const named = add(beginningOf(name, encoded))
      const told = add(beginningOf(description, encoded))
      const own = add(source.slice(0, sourceEncoded))
      const characters = source.length
      return profileWith({ pieces: Uint16Array.from(pieces), named, told, own, hub: 0, characters }, tasks, meaning)
    },
    pieceText: (piece) => {
      texts ??= new TextDecoder().decode(embeddings.pieces).split("\n")
      return texts[piece]!.replace(/^##/, "")
    },
    reading: (task) => new Reading(rows, piecesOf(beginningOf(task, encoded))),
    isWord: (word) => word !== "" && table.tree.longest(word, 0) === word.length,
    snippet: ({ name, description, source }) => {
      const vector = new Float32Array(dimensions)
      add(table, vector, beginningOf(name, encoded), weights.name, powers.snippet)
      add(table, vector, beginningOf(description, encoded), weights.description, powers.snippet)
      add(table, vector, source.slice(0, sourceEncoded), weights.source, powers.snippet)
      return vector
    },
    tasks: (tasks) => {
      const vector = new Float32Array(dimensions)
      add(table, vector, textOf(tasks), taskWeight, powers.snippet)
      return vector
    },
    query: (query) => {
      const text = beginningOf(query, encoded)
      const vector = new Float32Array(dimensions)
      add(table, vector, text, 1, powers.query)
      toUnit(vector)
      return { vector, read: vector.some((number) => number !== 0) ? readShare(text, table.tree) : 0 }
    }
  }
}
