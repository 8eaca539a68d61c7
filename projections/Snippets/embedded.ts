import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { contentCharacters } from "#domain/search/embeddings/content.ts"
import { schema } from "./tables.ts"

// What is kept of embedding models, beside the catalogue: a digest of what each snippet says, and vectors by model and
// digest.

/**
 * Whoever changes what is kept waits for the others that do: what was erased is not brought back by who had looked
 * before.
 */
const lock = "SELECT pg_advisory_xact_lock(5020787)"

/** Whether a model has embedded a row of `terms` as it is. */
const isEmbedded = (row: string, model: string) =>
  `EXISTS (SELECT 1 FROM embedded e JOIN embeddings v ON v.digest = e.digest AND v.model = ${model}
    WHERE e.snippet = ${row}.id AND e.changed = ${row}.changed)`

/** The next rows of the catalogue's terms behind a position. */
const rowsBehind = `(SELECT id, changed FROM ${schema}.terms WHERE changed > $2 ORDER BY changed LIMIT $3)`

/** Of the next rows behind a position the first one that a model has not embedded; `undefined`: it has all of these. */
export const notEmbedded = (model: string, after: number, rows: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ first: bigint | null }>(
        `SELECT min(t.changed) AS first FROM ${rowsBehind} t WHERE NOT ${isEmbedded("t", "$1")}`,
        [model, BigInt(after), rows]
      ),
      ([found]) => (found?.first == null ? undefined : Number(found.first))
    )
  )

/** What of a snippet is embedded, and as of which change. */
export interface ToEmbed {
  readonly id: string
  readonly changed: number
  readonly name: string
  readonly path: string
  readonly entrypoint: string
  readonly description: string
  readonly tasks: ReadonlyArray<string>
  readonly source: string
}

type Row = Omit<ToEmbed, "changed"> & { readonly changed: bigint; readonly has: boolean }

/**
 * Of the next rows behind a position those that a model has not embedded, and the position of the last of them all,
 * embedded or not: `undefined`: there is none.
 */
export const toEmbed = (model: string, after: number, rows: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<Row>(
        `SELECT t.id, t.changed, k.has, s.name, s.path, s.entrypoint, left(s.description, ${contentCharacters}) AS description,
           s.example_queries AS tasks,
           left(concat_ws(chr(10), s.readme_preview, s.file_tree, s.source), ${contentCharacters}) AS source
         FROM ${rowsBehind} t CROSS JOIN LATERAL (SELECT ${isEmbedded("t", "$1")} AS has) k
         LEFT JOIN ${schema}.snippets s ON s.id = t.id AND NOT k.has ORDER BY t.changed`,
        [model, BigInt(after), rows]
      ),
      (found) => {
        const last = found.at(-1)?.changed
        return {
          last: last === undefined ? undefined : Number(last),
          // a snippet that has just gone has no text either
          lacking: found.flatMap(
            ({ has, changed, ...row }): Array<ToEmbed> =>
              has || row.name === null ? [] : [{ ...row, changed: Number(changed) }]
          )
        }
      }
    )
  )

/** Which of some digests a model has a vector of. */
export const embeddedAmong = (model: string, digests: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ digest: string }>("SELECT digest FROM embeddings WHERE model = $1 AND digest = ANY ($2::text[])", [
        model,
        digests
      ]),
      (rows) => new Set(rows.map(({ digest }) => digest))
    )
  )

/** A digest of what a snippet says, as of a change of it. */
export interface Embedded {
  readonly id: string
  readonly changed: number
  readonly digest: string
}

const dropUnused =
  "DELETE FROM embeddings v WHERE v.digest = ANY ($1::text[]) AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.digest = v.digest)"

/**
 * Keeps what a model has made, of those snippets that are still as they were; vectors by digest. What the same snippets
 * said before goes, where no other one says it.
 */
export const keepEmbedded = (
  model: string,
  some: ReadonlyArray<Embedded>,
  vectors: ReadonlyArray<{ readonly digest: string; readonly vector: string }>
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      yield* sql.unsafe(lock)
      const ids = some.map(({ id }) => id)
      const before = yield* sql.unsafe<{ digest: string }>(
        "SELECT digest FROM embedded WHERE snippet = ANY ($1::text[])",
        [ids]
      )
      yield* sql.unsafe(
        `INSERT INTO embedded SELECT t.id, t.changed, g.digest
         FROM json_to_recordset($1::json) AS g (id text, changed bigint, digest text)
         JOIN ${schema}.terms t ON t.id = g.id AND t.changed = g.changed
         ON CONFLICT (snippet) DO UPDATE SET changed = excluded.changed, digest = excluded.digest`,
        [JSON.stringify(some)]
      )
      yield* sql.unsafe(
        `INSERT INTO embeddings SELECT $1, g.digest, g.vector
         FROM json_to_recordset($2::json) AS g (digest text, vector text)
         WHERE EXISTS (SELECT 1 FROM embedded e WHERE e.digest = g.digest) ON CONFLICT DO NOTHING`,
        [model, JSON.stringify(vectors)]
      )
      yield* sql.unsafe(dropUnused, [before.map(({ digest }) => digest)])
    }).pipe(sql.withTransaction)
  )

/**
 * Erases what was kept of snippets that the catalogue has no more, and vectors with the last one that said the same.
 */
export const eraseEmbedded = (snippets: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      yield* sql.unsafe(lock)
      const gone = yield* sql.unsafe<{ digest: string }>(
        `DELETE FROM embedded e WHERE snippet = ANY ($1::text[])
           AND NOT EXISTS (SELECT 1 FROM ${schema}.terms t WHERE t.id = e.snippet) RETURNING digest`,
        [snippets]
      )
      if (gone.length > 0) yield* sql.unsafe(dropUnused, [gone.map(({ digest }) => digest)])
    }).pipe(sql.withTransaction)
  )

/** Drops what other models have made. */
export const keepOnly = (model: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.asVoid(sql.unsafe("DELETE FROM embeddings WHERE model <> $1", [model]))
  )

/**
 * A model's vectors of snippets as of a change, as the catalogue's rows have theirs; `""`: it can't take what it says.
 */
export const vectorsOf = (model: string, snippets: ReadonlyArray<Pick<Embedded, "id" | "changed">>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ id: string; vector: string }>(
        `SELECT g.id, v.vector FROM json_to_recordset($2::json) AS g (id text, changed bigint)
         JOIN embedded e ON e.snippet = g.id AND e.changed = g.changed
         JOIN embeddings v ON v.digest = e.digest AND v.model = $1`,
        [model, JSON.stringify(snippets.map(({ id, changed }) => ({ id, changed })))]
      ),
      (rows) => new Map(rows.map(({ id, vector }) => [id, vector]))
    )
  )
