import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { table } from "./table.ts"

/** What somebody wrote about a snippet. The author is an id: the e-mail address is looked up at each read. */
interface CommentRow {
  readonly id: string
  readonly snippet: string
  /** The author's own organization or person; another one than the snippet's only if the snippet is public. */
  readonly tenant: string
  readonly author: string | null
  /** The home from which it was said; `null`: an older comment, which does not tell. */
  readonly home: string | null
  readonly agent: string | null
  readonly words: string
  readonly position: number
  readonly created_at: string
}

/** A table of the catalogue, so that a read that waits for a snippet waits for its comments, too. */
export const comments = table<CommentRow>({
  columns: {
    id: "text",
    snippet: "text",
    tenant: "text",
    author: "text",
    words: "text",
    position: "bigint",
    home: "text",
    agent: "text",
    created_at: "timestamptz"
  },
  indexes: ["(snippet, position)"],
  on: {
    CommentAdded: {
      rows: ({ comment }) => [comment],
      to: (_, { comment, snippet, author, home, text }, { tenant, actor, position, recordedAt }) =>
        text === null
          ? undefined
          : {
              id: comment,
              snippet,
              tenant: actor.organization ?? actor.user ?? tenant,
              author,
              home,
              words: text.words,
              agent: text.agent,
              position,
              created_at: new Date(recordedAt).toISOString()
            }
    },
    CommentDeleted: { rows: ({ comment }) => [comment], to: () => undefined }
  },
  drops: { SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet } }
})

/** A comment as it is read with its snippet. */
export interface Comment {
  readonly id: string
  /** Its author's. */
  readonly tenant: string
  readonly author: string | null
  readonly home: string | null
  readonly agent: string | null
  readonly text: string
  /** ISO 8601. */
  readonly created_at: string
}

/** How many comments on a snippet are shown: the latest of its own tenant, and as many of others. */
export const commentsShown = 20

/**
 * SQL for the comments on a snippet that are read: the latest of its own tenant that homes see, and the latest of
 * others.
 */
const latest = (schema: string, snippet: string, tenant: string, homes: string): string => {
  const by = (whose: string) =>
    `(SELECT * FROM "${schema}".comments WHERE snippet = ${snippet} AND tenant ${whose}
      ORDER BY position DESC LIMIT ${commentsShown})`
  const own = `= ${tenant} AND (home IS NULL OR home = tenant OR home = ANY (${homes}::text[]))`
  return `(${by(own)} UNION ALL ${by(`<> ${tenant}`)})`
}

/** SQL for when a comment was made, as ISO 8601. */
const createdAt = `to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * SQL for the comments on a snippet as JSON, oldest first: the latest of its own tenant and the latest of others, so
 * that strangers can't push the tenant's own out of sight. A customer's workspace does not see those of another one.
 * `schema` is the catalogue's; `snippet` and `tenant` are the snippet's columns, `homes` the parameter with the
 * onlooker's homes.
 */
export const commentsOf = (...of: Parameters<typeof latest>): string =>
  `(SELECT coalesce(json_agg(json_build_object('id', c.id, 'tenant', c.tenant, 'author', c.author, 'home', c.home,
      'agent', c.agent, 'text', c.words, 'created_at', ${createdAt}) ORDER BY c.position), '[]')
    FROM ${latest(...of)} c)`

/** SQL for how many bytes the texts of the same comments have. */
export const bytesOfComments = (...of: Parameters<typeof latest>): string =>
  `(SELECT coalesce(sum(octet_length(c.words)), 0) FROM ${latest(...of)} c)`

/** Who looks at comments: a tenant, from homes of its own. */
export interface Onlooker {
  readonly tenant: string
  readonly homes: ReadonlyArray<string>
  readonly includePublic: boolean
}

/**
 * Whether the onlooker sees a comment as their own tenant's, as a stranger's (without who said it), or not at all. A
 * comment in a workspace of the snippet's own tenant is seen in that workspace only. A comment of another tenant on a
 * public snippet is seen by all who ask for public ones.
 */
export const shownAs = (
  { tenant, homes, includePublic }: Onlooker,
  snippetTenant: string,
  comment: Pick<Comment, "tenant" | "home">
): "own" | "strange" | "hidden" => {
  const { home } = comment
  if (comment.tenant === tenant && (home === null || homes.includes(home))) return "own"
  const open =
    comment.tenant !== snippetTenant || (tenant !== snippetTenant && (home === null || home === comment.tenant))
  return includePublic && open ? "strange" : "hidden"
}

/** A comment without its text: whose it is, where it stands, and how many bytes the text has. */
export interface PlacedComment extends Pick<CommentRow, "id" | "tenant" | "home" | "position"> {
  readonly bytes: number
}

/**
 * All comments on a snippet, latest first: their number is bounded, and `shownAs` says who may see which. `schema` is
 * the catalogue's.
 */
export const placedComments = (schema: string, snippet: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<PlacedComment>(
      `SELECT id, tenant, home, position::float8 AS position, octet_length(words) AS bytes
       FROM "${schema}".comments WHERE snippet = $1 ORDER BY position DESC`,
      [snippet]
    )
  )

/** Those of these comments that are there, latest first. `schema` is the catalogue's. */
export const commentsByIds = (schema: string, ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Comment>(
      `SELECT c.id, c.tenant, c.author, c.home, c.agent, c.words AS text, ${createdAt} AS created_at
       FROM "${schema}".comments c WHERE c.id = ANY ($1::text[]) ORDER BY c.position DESC`,
      [ids]
    )
  )

/** Who made a comment, in which home, and on what; `schema` is the catalogue's. */
export const knownComment = (schema: string, id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<Pick<CommentRow, "snippet" | "tenant" | "author" | "home">>(
        `SELECT snippet, tenant, author, home FROM "${schema}".comments WHERE id = $1`,
        [id]
      ),
      ([found]) => found
    )
  )
