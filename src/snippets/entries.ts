import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CountedCache } from "#ports/CountedCache.ts"
import { type CommentedEntry, type ListedEntry, listedByIds, snippetsByIds } from "#projections/Snippets/queries.ts"
import { slight } from "#src/portions.ts"

/** An entry that was read, about how many bytes its texts have, and about how many of memory it takes. */
interface Kept {
  readonly entry: CommentedEntry
  readonly bytes: number
  readonly weight: number
}

const mostKept = 2_000
/** Most bytes of memory for all of them together: a few entries with long texts could fill the memory. */
const mostWeight = 16_000_000

const lengthOf = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + text.length, 0)
const charactersOf = ({ source, description, example_queries, file_tree, comments }: CommentedEntry): number =>
  1_000 + lengthOf([source, description, file_tree ?? "", ...example_queries, ...comments.map(({ text }) => text)])

/** About how many bytes of memory a value takes. A schema of many small parts takes ten times the bytes of its JSON. */
const weightOf = (value: unknown): number => {
  if (typeof value === "string") return 16 + value.length
  if (typeof value !== "object" || value === null) return 8
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + weightOf(one), 48)
  return Object.entries(value).reduce((sum, [name, one]) => sum + 24 + name.length + weightOf(one), 64)
}

/** The name that an entry is kept under. It has the homes, because each home sees other comments. */
const placeOf = (id: string, homes: ReadonlyArray<string>) => `${id} ${homes.join(" ")}`

/** Entries of the catalogue. Those that were read since it last changed are at hand. */
export const makeEntries = (sql: SqlClient.SqlClient) => {
  const kept = new CountedCache<Kept>("entries", {
    max: mostKept,
    maxSize: mostWeight,
    sizeCalculation: ({ weight }) => weight
  })
  let changed = -1

  const querying = <A, E>(query: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.orDie(Effect.provideService(query, SqlClient.SqlClient, sql))

  return {
    /** Says where the catalogue stands. If it has moved, what is at hand is forgotten. */
    stands: (at: number): void => {
      if (at === changed) return
      kept.clear()
      changed = at
    },

    atHand: (id: string, homes: ReadonlyArray<string>) => kept.get(placeOf(id, homes))?.entry,

    /**
     * The entries with these ids, without their texts. `read` also has the whole entries that are at hand, and the
     * others if they are slight together, as nearly always.
     */
    list: Effect.fnUntraced(function* (ids: ReadonlyArray<string>, homes: ReadonlyArray<string>) {
      const at = changed
      const listed = new Map<string, ListedEntry>()
      const read = new Map<string, CommentedEntry>()
      const add = ({ entry, bytes }: Kept) => {
        const { id, kind, name, path, language, home, published, agent } = entry
        listed.set(id, { id, kind, name, path, language, home, published, agent, bytes })
        read.set(id, entry)
      }
      // taken first: another search may clear what is at hand while the rest is read
      for (const id of ids) {
        const known = kept.get(placeOf(id, homes))
        if (known !== undefined) add(known)
      }
      const missing = ids.filter((id) => !listed.has(id))
      if (missing.length === 0) return { listed, read }
      const found = yield* querying(snippetsByIds(missing, homes, slight))
      for (const entry of found) {
        const one = { entry, bytes: charactersOf(entry), weight: weightOf(entry) }
        add(one)
        if (at === changed) kept.set(placeOf(entry.id, homes), one)
      }
      if (found.length === 0) for (const one of yield* querying(listedByIds(missing, homes))) listed.set(one.id, one)
      return { listed, read }
    }),

    /**
     * Entries by id as they are now, without those that are gone. Nothing comes from memory: a caller who reads an
     * answer slowly asks long after the search, and must not get what was deleted or taken back since.
     */
    read: (ids: ReadonlyArray<string>, homes: ReadonlyArray<string>) =>
      Effect.map(
        querying(snippetsByIds(ids, homes)),
        (found): ReadonlyMap<string, CommentedEntry> => new Map(found.map((entry) => [entry.id, entry]))
      )
  }
}
