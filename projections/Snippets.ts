import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type IndexedText, indexText } from "#domain/search/IndexedText.ts"
import { type Projection, table } from "#ports/Projection.ts"

type Json = { readonly [key: string]: unknown }

/** A snippet's catalogue entry. */
export interface SnippetRow {
  readonly id: string
  readonly tenant: string
  readonly home: string
  readonly author: string | null
  readonly agent: string | null
  readonly published: boolean
  readonly name: string
  readonly path: string
  readonly description: string
  readonly source: string
  readonly entrypoint: string
  readonly language: string
  readonly language_version: string | null
  readonly dependencies: { readonly [name: string]: string }
  readonly tags: ReadonlyArray<string>
  readonly capabilities: ReadonlyArray<string>
  readonly input_schema: Json
  readonly output_schema: Json
  readonly example_queries: ReadonlyArray<string>
  readonly external_id: string | null
  readonly created_at: string
  readonly updated_at: string
}

interface VotesRow {
  readonly id: string
  readonly up: number
  readonly down: number
  /** Position of the last change, so that an index can read on. */
  readonly changed: number
}

/** What an index needs of a snippet: its terms, not its text. */
interface TermsRow {
  readonly id: string
  readonly home: string
  readonly agent: string | null
  readonly published: boolean
  readonly completeness: number
  readonly tasks: ReadonlyArray<string>
  readonly text: IndexedText
  readonly changed: number
}

/** That a snippet was here: an index must know what to drop. */
interface RemovedRow {
  readonly id: string
  readonly changed: number
}

/** Tasks of one snippet that are kept for finding it; the latest count. */
const tasksKept = 50
const one = ({ snippet }: { readonly snippet: string }) => [snippet]

const withTask = (tasks: ReadonlyArray<string>, task: string | null): ReadonlyArray<string> =>
  task === null || task === "" ? tasks : [...tasks.filter((known) => known !== task), task].slice(-tasksKept)

/** Read model `snippets`: the catalogue, its votes, and the terms that the search index is made of. */
export const Snippets = {
  name: "snippets",
  version: 1,
  tables: {
    snippets: table<SnippetRow>({
      columns: {
        ...{ id: "text", tenant: "text", home: "text", author: "text", agent: "text", published: "boolean" },
        ...{ name: "text", path: "text", description: "text", source: "text", entrypoint: "text", language: "text" },
        ...{ language_version: "text", dependencies: "json", tags: "text[]", capabilities: "text[]" },
        ...{ input_schema: "json", output_schema: "json", example_queries: "text[]", external_id: "text" },
        ...{ created_at: "timestamptz", updated_at: "timestamptz" }
      },
      indexes: ["(home, name)"],
      on: {
        SnippetUploaded: {
          rows: one,
          to: (_, { snippet, home, author, published, language, text }, { tenant, recordedAt }) => {
            if (text === null) return undefined
            const at = new Date(recordedAt).toISOString()
            return {
              ...{ id: snippet, tenant, home, author, published, language, created_at: at, updated_at: at },
              ...{ agent: text.agent, name: text.name, path: text.path, description: text.description },
              ...{ source: text.source, entrypoint: text.entrypoint, language_version: text.languageVersion },
              ...{ dependencies: text.dependencies, tags: text.tags, capabilities: text.capabilities },
              ...{ input_schema: text.inputSchema, output_schema: text.outputSchema },
              ...{ example_queries: withTask(text.exampleQueries, text.task), external_id: text.externalId }
            }
          }
        },
        TaskAdded: {
          rows: one,
          to: (row, { text }, { recordedAt }) =>
            row && {
              ...row,
              example_queries: withTask(row.example_queries, text?.task ?? null),
              dependencies: { ...row.dependencies, ...text?.dependencies },
              updated_at: new Date(recordedAt).toISOString()
            }
        },
        SnippetPublished: { rows: one, to: (row) => row && { ...row, published: true } },
        SnippetDeleted: { rows: one, to: () => undefined }
      }
    }),
    votes: table<VotesRow>({
      columns: { id: "text", up: "integer", down: "integer", changed: "bigint" },
      indexes: ["(changed)"],
      on: {
        SnippetUploaded: {
          rows: one,
          to: (_, { snippet, text }, { position }) =>
            text === null ? undefined : { id: snippet, up: 0, down: 0, changed: position }
        },
        VoteCast: {
          rows: one,
          to: (row, { value, count }, { position }) =>
            row && {
              ...row,
              up: row.up + (value === 1 ? count : 0),
              down: row.down + (value === -1 ? count : 0),
              changed: position
            }
        },
        SnippetDeleted: { rows: one, to: () => undefined }
      }
    }),
    terms: table<TermsRow>({
      columns: {
        ...{ id: "text", home: "text", agent: "text", published: "boolean", completeness: "double precision" },
        ...{ tasks: "text[]", text: "json", changed: "bigint" }
      },
      indexes: ["(changed)"],
      on: {
        SnippetUploaded: {
          rows: one,
          to: (_, { snippet, home, published, completeness, text }, { position }) => {
            if (text === null) return undefined
            const tasks = withTask(text.exampleQueries, text.task)
            return {
              ...{ id: snippet, home, agent: text.agent, published, completeness, tasks, changed: position },
              text: indexText({ ...text, exampleQueries: tasks })
            }
          }
        },
        TaskAdded: {
          rows: one,
          to: (row, { text }, { position }) => {
            if (row === undefined) return undefined
            const tasks = withTask(row.tasks, text?.task ?? null)
            return { ...row, tasks, text: indexText({ exampleQueries: tasks }, row.text), changed: position }
          }
        },
        SnippetPublished: {
          rows: one,
          to: (row, _, { position }) => row && { ...row, published: true, changed: position }
        },
        SnippetDeleted: { rows: one, to: () => undefined }
      }
    }),
    removed: table<RemovedRow>({
      columns: { id: "text", changed: "bigint" },
      indexes: ["(changed)"],
      on: { SnippetDeleted: { rows: one, to: (_, { snippet }, { position }) => ({ id: snippet, changed: position }) } }
    })
  }
} satisfies Projection

/** Snippets by id, with their votes, in no order. */
export interface CatalogueEntry extends Omit<SnippetRow, "created_at" | "updated_at"> {
  readonly created_at: Date
  readonly updated_at: Date
  readonly up: number
  readonly down: number
}

export const snippetsByIds = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    ids.length === 0
      ? Effect.succeed<ReadonlyArray<CatalogueEntry>>([])
      : sql.unsafe<CatalogueEntry>(
          `SELECT s.*, v.up, v.down FROM snippets_v1.snippets s JOIN snippets_v1.votes v ON v.id = s.id
           WHERE s.id = ANY ($1::text[])`,
          [ids]
        )
  )

/** A page of a tenant's snippets in order of id, from behind an id (`""`: from the beginning), of one home when it is given. */
export const snippetsAfter = (tenant: string, home: string | null, after: string, limit: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<CatalogueEntry>`SELECT s.*, v.up, v.down
      FROM snippets_v1.snippets s JOIN snippets_v1.votes v ON v.id = s.id
      WHERE s.tenant = ${tenant} AND s.home = coalesce(${home}::text, s.home) AND s.id > ${after}
      ORDER BY s.id LIMIT ${limit}`
  )

/** Where a snippet lives and whose it is, without its text. */
export interface SnippetPlace {
  readonly id: string
  readonly tenant: string
  readonly home: string
  readonly agent: string | null
  readonly published: boolean
  readonly name: string
}

export const snippetPlace = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<SnippetPlace>`SELECT id, tenant, home, agent, published, name FROM snippets_v1.snippets WHERE id = ${id}`,
      ([place]) => place
    )
  )

/** The snippets of a home that have this name, oldest first. */
export const snippetsNamed = (home: string, name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<SnippetPlace>`SELECT id, tenant, home, agent, published, name FROM snippets_v1.snippets
      WHERE home = ${home} AND name = ${name} ORDER BY created_at, id`
  )

/** What changed for an index after a position, up to and with `position`. */
export interface IndexChanges {
  /** Of the catalogue that was read: after another one was promoted, an index begins again. */
  readonly build: number | undefined
  readonly position: number
  readonly put: ReadonlyArray<Omit<TermsRow, "tasks" | "changed"> & { readonly up: number; readonly down: number }>
  readonly voted: ReadonlyArray<{ readonly id: string; readonly up: number; readonly down: number }>
  readonly removed: ReadonlyArray<string>
}

const page = 4_000

const liveBuild = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ build: number }>`SELECT build FROM read_models WHERE name = 'snippets' AND version = 1 AND live`,
    ([row]) => row?.build
  )
)

/** Reads on from a position, a page at a time: all in one snapshot, so that what it says of `position` is whole. */
export const indexChanges = (after: number): Effect.Effect<IndexChanges, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const changes = yield* readChanges(after)
    // the snapshot does not hold all rows of a build that was promoted since
    return (yield* liveBuild) === changes.build ? changes : yield* indexChanges(after)
  })

const readChanges = (after: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`
      const from = BigInt(after)
      const [bound] = yield* sql<{ build: number; position: bigint; rows: bigint; last: bigint }>`
        SELECT m.build, m.position, p.rows, p.last FROM read_models m, (
          SELECT count(*) AS rows, max(changed) AS last FROM (
            SELECT changed FROM snippets_v1.terms WHERE changed > ${from} ORDER BY changed LIMIT ${page}) t) p
        WHERE m.name = 'snippets' AND m.version = 1 AND m.live`
      const to = bound === undefined ? from : Number(bound.rows) < page ? bound.position : bound.last
      const put = yield* sql<IndexChanges["put"][number]>`
        SELECT t.id, t.home, t.agent, t.published, t.completeness, t.text, v.up, v.down
        FROM snippets_v1.terms t JOIN snippets_v1.votes v ON v.id = t.id
        WHERE t.changed > ${from} AND t.changed <= ${to}`
      const voted = yield* sql<IndexChanges["voted"][number]>`
        SELECT v.id, v.up, v.down FROM snippets_v1.votes v JOIN snippets_v1.terms t ON t.id = v.id
        WHERE v.changed > ${from} AND v.changed <= ${to} AND t.changed <= ${from}`
      const removed = yield* sql<{ id: string }>`
        SELECT id FROM snippets_v1.removed WHERE changed > ${from} AND changed <= ${to}`
      const changes: IndexChanges = {
        build: bound?.build,
        position: Number(to),
        put,
        voted,
        removed: removed.map(({ id }) => id)
      }
      return changes
    }).pipe(sql.withTransaction)
  )
