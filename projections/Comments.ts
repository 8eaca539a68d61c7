import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { table } from "./table.ts"

/** What somebody wrote about a snippet. Who it was is an id: the e-mail address is looked up when it is read. */
interface CommentRow {
  readonly id: string
  readonly snippet: string
  /** The author's own organization or person, which is another than the snippet's where that is public. */
  readonly tenant: string
  readonly author: string | null
  /** Where its author was heard; `null`: nobody knows any more. */
  readonly home: string | null
  readonly agent: string | null
  readonly words: string
  readonly position: number
  readonly created_at: string
}

/** A table of the catalogue, so that whoever waits for a snippet has waited for its comments too. */
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

/** A comment as it lies with its snippet. */
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

/** Comments of a snippet that a tenant is shown: the latest. */
export const commentsShown = 20

/**
 * SQL for what of a snippet's comments is read: the latest of those whose snippet it is, as seen from homes, and the
 * latest of others.
 */
const latest = (schema: string, snippet: string, tenant: string, homes: string): string => {
  const by = (whose: string) =>
    `(SELECT * FROM "${schema}".comments WHERE snippet = ${snippet} AND tenant ${whose}
      ORDER BY position DESC LIMIT ${commentsShown})`
  const own = `= ${tenant} AND (home IS NULL OR home = tenant OR home = ANY (${homes}::text[]))`
  return `(${by(own)} UNION ALL ${by(`<> ${tenant}`)})`
}

/** SQL for when a comment was said, as ISO 8601. */
const createdAt = `to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * SQL for a snippet's comments as JSON, oldest first: the latest by those whose snippet it is, and the latest by
 * others, so that no stranger can push theirs out of sight, and of a customer's workspace no other's. `schema` is the
 * catalogue's; `snippet` and `tenant` are the snippet's columns, `homes` the parameter that has those which are looked
 * from.
 */
export const commentsOf = (...of: Parameters<typeof latest>): string =>
  `(SELECT coalesce(json_agg(json_build_object('id', c.id, 'tenant', c.tenant, 'author', c.author, 'home', c.home,
      'agent', c.agent, 'text', c.words, 'created_at', ${createdAt}) ORDER BY c.position), '[]')
    FROM ${latest(...of)} c)`

/** SQL for how many bytes the texts of the same comments have. */
export const bytesOfComments = (...of: Parameters<typeof latest>): string =>
  `(SELECT coalesce(sum(octet_length(c.words)), 0) FROM ${latest(...of)} c)`

/** Who looks at comments: a tenant, by homes of its own. */
export interface Onlooker {
  readonly tenant: string
  readonly homes: ReadonlyArray<string>
  readonly includePublic: boolean
}

/**
 * Whether a comment is one of the onlooker's own, or a stranger's (then they learn no more of who said it), or none of
 * theirs. What is said in a workspace of the snippet's own tenant is that workspace's; what is said elsewhere of
 * somebody's public snippet is everybody's who asks for such.
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
 * All comments on a snippet, the latest first: they are bounded, and which of them somebody may see `shownAs` says.
 * `schema` is the catalogue's.
 */
export const placedComments = (schema: string, snippet: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<PlacedComment>(
      `SELECT id, tenant, home, position::float8 AS position, octet_length(words) AS bytes
       FROM "${schema}".comments WHERE snippet = $1 ORDER BY position DESC`,
      [snippet]
    )
  )

/** Those of some comments that are there, the latest first. `schema` is the catalogue's. */
export const commentsByIds = (schema: string, ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Comment>(
      `SELECT c.id, c.tenant, c.author, c.home, c.agent, c.words AS text, ${createdAt} AS created_at
       FROM "${schema}".comments c WHERE c.id = ANY ($1::text[]) ORDER BY c.position DESC`,
      [ids]
    )
  )

/** Whose a comment is, and on what; `schema` is the catalogue's. */
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
