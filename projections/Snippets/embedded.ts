import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { contentCharacters } from "#domain/search/embeddings/content.ts"
import { schema } from "./tables.ts"

// What is kept of embedding models, beside the catalogue: a digest of each snippet's content, and vectors by model and
// digest.

/** Writers wait for each other, so that one that looked before an erasure can't bring back what it erased. */
const lock = "SELECT pg_advisory_xact_lock(5020787)"

/** SQL for whether a model has embedded a row of `terms` as it is now. */
const isEmbedded = (row: string, model: string) =>
  `EXISTS (SELECT 1 FROM embedded e JOIN embeddings v ON v.digest = e.digest AND v.model = ${model}
    WHERE e.snippet = ${row}.id AND e.changed = ${row}.changed)`

/** SQL for the next rows of the catalogue's terms after a position. */
const rowsBehind = `(SELECT id, changed FROM ${schema}.terms WHERE changed > $2 ORDER BY changed LIMIT $3)`

/** Position of the first row that a model has not embedded, among the next after a position; `undefined`: none. */
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

/** The parts of a snippet that are embedded, as of a change of it. */
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
 * Among the next `rows` rows after a position, those that a model has not embedded (`lacking`), and the position of the
 * last row, embedded or not; `undefined`: there are no rows.
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
          // a snippet that was just deleted has no text
          lacking: found.flatMap(
            ({ has, changed, ...row }): Array<ToEmbed> =>
              has || row.name === null ? [] : [{ ...row, changed: Number(changed) }]
          )
        }
      }
    )
  )

/** Which of these digests a model has a vector of. */
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

/** The digest of a snippet's content, as of a change of it. */
export interface Embedded {
  readonly id: string
  readonly changed: number
  readonly digest: string
}

const dropUnused =
  "DELETE FROM embeddings v WHERE v.digest = ANY ($1::text[]) AND NOT EXISTS (SELECT 1 FROM embedded e WHERE e.digest = v.digest)"

/**
 * Keeps a model's vectors, by digest, for those snippets that have not changed since. Vectors of these snippets'
 * earlier content go, unless another snippet has the same content.
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
 * Erases what is kept of snippets that the catalogue no longer has. A vector goes with the last snippet of its content.
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

/** Drops the vectors of all other models. */
export const keepOnly = (model: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.asVoid(sql.unsafe("DELETE FROM embeddings WHERE model <> $1", [model]))
  )

/** A model's vectors of snippets as of a change, by id, as in the catalogue; `""`: the model can't take the content. */
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
