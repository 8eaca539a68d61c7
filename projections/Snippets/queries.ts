import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import { bytesOfComments, type Comment, commentsOf } from "../Comments.ts"
import type { SnippetRow } from "./rows.ts"
import { nameBegins, schema } from "./tables.ts"

/** A snippet with its votes. */
export interface CatalogueEntry extends Omit<SnippetRow, "created_at" | "updated_at"> {
  readonly created_at: Date
  readonly updated_at: Date
  readonly up: number
  readonly down: number
  readonly human_up: number
  readonly human_down: number
  readonly runs: number
  readonly succeeded: number
}

/** A snippet as a search shows it: with its latest comments, oldest first. */
export interface CommentedEntry extends CatalogueEntry {
  readonly comments: ReadonlyArray<Comment>
}

const tally = "v.up, v.down, v.human_up, v.human_down, v.runs, v.succeeded"
const withVotes = `${schema}.snippets s JOIN ${schema}.votes v ON v.id = s.id`

/**
 * SQL for the ids of `$1` that hides from Postgres how many they are: if it knows that they are few, it plans each call
 * anew, which takes three times as long as reading them.
 */
const asked = "(SELECT $1::text[])::text[]"

/** SQL for about how many bytes a snippet has. */
const bytes = `octet_length(source) + octet_length(description) + octet_length(input_schema::text) + octet_length(output_schema::text)
  + octet_length(dependencies::text) + octet_length(array_to_string(example_queries || tags || capabilities || input_properties, '')) + coalesce(octet_length(file_tree), 0)`

/** SQL for about how many bytes a snippet has with its comments, as seen from the homes of `$2`. */
const bytesOfEach = `(${bytes} + ${bytesOfComments(schema, "s.id", "s.tenant", "$2")})::float8`

/** What identifies a snippet and names its file, who sees it, and about how many bytes the whole snippet has. */
export interface ListedEntry
  extends Pick<CatalogueEntry, "id" | "kind" | "name" | "path" | "language" | "home" | "published" | "agent"> {
  readonly bytes: number
}

/** Snippets without their texts, in no order. */
export const listedByIds = (ids: ReadonlyArray<string>, homes: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<ListedEntry>(
      `SELECT id, kind, name, path, language, home, published, agent, ${bytesOfEach} AS bytes FROM ${schema}.snippets s WHERE id = ANY (${asked})`,
      [ids, homes]
    )
  )

/**
 * Snippets in no order, with the comments of their own tenant that these homes see, and those of other tenants. Gives
 * none if they have more than `most` bytes together.
 */
export const snippetsByIds = (ids: ReadonlyArray<string>, homes: ReadonlyArray<string> = [], most?: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    ids.length === 0
      ? Effect.succeed<ReadonlyArray<CommentedEntry>>([])
      : sql.unsafe<CommentedEntry>(
          `SELECT s.*, ${tally}, ${commentsOf(schema, "s.id", "s.tenant", "$2")} AS comments FROM ${withVotes}
           WHERE s.id = ANY (${asked})${
             most === undefined
               ? ""
               : ` AND (SELECT sum(${bytesOfEach}) FROM ${schema}.snippets s WHERE id = ANY (${asked})) <= $3::bigint`
           }`,
          [ids, homes, ...(most === undefined ? [] : [BigInt(most)])]
        )
  )

/**
 * A page of a tenant's snippets, of one home if it is given, in order of id, after an id (`""`: from the beginning): as
 * many as fit into about `most` bytes, and at least one. Empty: there are no more.
 */
export const snippetsAfter = (
  tenant: string,
  home: string | null,
  after: string,
  most: { readonly rows: number; readonly bytes: number }
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<CatalogueEntry>(
      `WITH next AS (SELECT id, ${bytes} AS bytes FROM ${schema}.snippets
         WHERE tenant = $1 AND home = coalesce($2::text, home) AND id > $3 ORDER BY id LIMIT $4::int),
       page AS (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM next)
       SELECT s.*, ${tally} FROM ${withVotes} JOIN page ON page.id = s.id WHERE page.before < $5::bigint ORDER BY s.id`,
      [tenant, home, after, most.rows, BigInt(most.bytes)]
    )
  )

/** Where a snippet lives and whose it is, without its text. */
export interface KnownSnippet {
  readonly id: string
  readonly tenant: string
  readonly home: string
  readonly agent: string | null
  readonly published: boolean
  readonly name: string
}

const knownColumns = "id, tenant, home, agent, published, name"

/** Where a snippet lives and whose it is; `undefined`: the catalogue has none of this id. */
export const knownSnippet = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<KnownSnippet>(`SELECT ${knownColumns} FROM ${schema}.snippets WHERE id = $1`, [id]),
      ([found]) => found
    )
  )

/** The snippets of a home that have this name, oldest first. */
export const snippetsNamed = (home: string, name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<KnownSnippet>(
      `SELECT ${knownColumns} FROM ${schema}.snippets WHERE home = $1 AND ${nameBegins("name")} = ${nameBegins("$2::text")} AND name = $2 ORDER BY created_at, id`,
      [home, name]
    )
  )

/** Which of these snippets have been deleted. */
export const deletedAmong = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ id: string }>(`SELECT id FROM ${schema}.removed WHERE id = ANY ($1::text[])`, [ids])
  )

/**
 * A repository's files as JSON, a list of objects with `path` and `content`, up to 16 MiB; `undefined`: the snippet is
 * no repository, or does not exist.
 */
export const filesJson = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ files: string }>(`SELECT files::text AS files FROM ${schema}.files WHERE id = $1`, [id]),
      ([found]) => found?.files
    )
  )

/** A repository's files one by one, with their places from 1. */
const eachFile = `${schema}.files r, json_array_elements(r.files) WITH ORDINALITY AS f (file, place)`

/** The places of a repository's files, from 1, and how many bytes each has; empty: there is no such repository. */
export const fileSizes = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ place: number; bytes: number }>(
      `SELECT place::int AS place, octet_length(file ->> 'content') + octet_length(file ->> 'path') AS bytes
       FROM ${eachFile} WHERE r.id = $1 ORDER BY place`,
      [id]
    )
  )

/** Some of a repository's files, by their places. */
export const filesAt = (id: string, places: ReadonlyArray<number>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<RepositoryFile>(
      `SELECT file ->> 'path' AS path, file ->> 'content' AS content
       FROM ${eachFile} WHERE r.id = $1 AND place = ANY ($2::int[]) ORDER BY place`,
      [id, places]
    )
  )

/**
 * A file of a repository, by its path: how many bytes its content has, and the content if these are at most `most`.
 * `undefined`: there is no such file.
 */
export const fileNamed = (id: string, path: string, most = Number.MAX_SAFE_INTEGER) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ bytes: number; content: string | null }>(
        `SELECT octet_length(file ->> 'content') AS bytes,
           CASE WHEN octet_length(file ->> 'content') <= $3::bigint THEN file ->> 'content' END AS content
         FROM ${eachFile} WHERE r.id = $1 AND file ->> 'path' = $2 LIMIT 1`,
        [id, path, BigInt(most)]
      ),
      ([found]) => found
    )
  )

/**
 * Input schemas that have all of these properties, of snippets that the homes (and, if asked for, the public) may see:
 * a page in order of id, after an id (`""`: from the beginning), as many as fit into about `most` bytes, and at least
 * one. Empty: there are no more.
 */
export const inputSchemas = (
  names: ReadonlyArray<string>,
  { homes, includePublic }: { readonly homes: ReadonlyArray<string>; readonly includePublic: boolean },
  after: string,
  most: { readonly rows: number; readonly bytes: number }
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ id: string; input_schema: { readonly [key: string]: unknown } }>(
      `WITH next AS (SELECT id, octet_length(input_schema::text) AS bytes FROM ${schema}.snippets
         WHERE input_properties @> $1::text[] AND (home = ANY ($2::text[]) OR ($3::boolean AND published)) AND id > $4
         ORDER BY id LIMIT $5::int),
       page AS (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM next)
       SELECT s.id, s.input_schema FROM ${schema}.snippets s JOIN page ON page.id = s.id WHERE page.before < $6::bigint ORDER BY s.id`,
      [names, homes, includePublic, after, most.rows, BigInt(most.bytes)]
    )
  )
