import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { latestVotes, type SaidOfTask, tenantOf, voterOf } from "#domain/search/votesForTasks.ts"
import { derivedId } from "#engine/derivedId.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { ofErased, table } from "./table.ts"

/** What one voter in one home said about a snippet, task by task. */
interface VotesRow {
  readonly id: string
  readonly snippet: string
  /** The last vote's subject. An erasure removes the row, and votes after it have another subject. */
  readonly subject: string
  readonly home: string
  /** The voter's. */
  readonly tenant: string
  /** `tenant/user` */
  readonly voter: string
  /** The latest vote on each of the voter's latest tasks, oldest first. */
  readonly tasks: ReadonlyArray<SaidOfTask>
  readonly changed: number
}

/** Who owns a snippet, which decides how votes on it count. */
interface UploadsRow {
  readonly id: string
  readonly tenant: string
  /** Users who stored it. */
  readonly authors: ReadonlyArray<string>
  readonly published: boolean
  /** Whether it was deleted: a process that holds what was learned of it must know. */
  readonly gone: boolean
  readonly changed: number
}

/** An erased voter, all voters of an erased tenant (an id without a user), or an erased subject of votes. */
interface LeaversRow {
  readonly id: string
  readonly changed: number
}

const one = ({ snippet }: { readonly snippet: string }) => [snippet]

const withAuthor = (authors: ReadonlyArray<string>, author: string | null): ReadonlyArray<string> =>
  author === null || authors.includes(author) ? authors : [...authors, author]

const leaver = ({ user }: { readonly user: string }, { tenant }: { readonly tenant: string }) => `${tenant}/${user}`

/** Read model `learned`: for which tasks snippets helped, and for which they did not, as each voter says. */
export const Learned = {
  name: "learned",
  version: 2,
  tables: {
    votes: table<VotesRow>({
      columns: {
        id: "text",
        snippet: "text",
        subject: "text",
        home: "text",
        tenant: "text",
        voter: "text",
        tasks: "json",
        changed: "bigint"
      },
      indexes: ["(snippet)", "(subject)", "(tenant)", "(voter)", "(changed)"],
      on: {
        VoteCast: {
          rows: ({ snippet, home, voter, text }, { tenant }) =>
            voter === null || text === null || text.task === null || text.task.trim() === ""
              ? []
              : [derivedId("learned", snippet, home ?? tenant, voter)],
          to: (row, { snippet, subject, home, voter, value, source, text }, { tenant, position }, id) => {
            const where = home ?? tenant
            return {
              id,
              snippet,
              subject,
              home: where,
              tenant: tenantOf(where),
              voter: voterOf(where, voter!),
              tasks: latestVotes(row?.tasks ?? [], { task: text!.task!, value, source, position }),
              changed: position
            }
          }
        }
      },
      drops: {
        ...ofErased,
        SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet },
        VotesErased: { column: "subject", value: ({ subject }) => subject },
        MemberErased: { column: "voter", value: leaver },
        UserErased: { column: "voter", value: leaver }
      }
    }),
    uploads: table<UploadsRow>({
      columns: {
        id: "text",
        tenant: "text",
        authors: "text[]",
        published: "boolean",
        gone: "boolean",
        changed: "bigint"
      },
      indexes: ["(changed)"],
      on: {
        SnippetUploaded: {
          rows: one,
          to: (_, { snippet, author, published }, { tenant, position }) => ({
            id: snippet,
            tenant,
            authors: withAuthor([], author),
            published,
            gone: false,
            changed: position
          })
        },
        TaskAdded: {
          rows: one,
          to: (row, { author }, { position }) => {
            if (row === undefined) return undefined
            const authors = withAuthor(row.authors, author)
            return authors === row.authors ? row : { ...row, authors, changed: position }
          }
        },
        SnippetPublished: {
          rows: one,
          to: (row, _, { position }) => row && { ...row, published: true, changed: position }
        },
        SnippetWithdrawn: {
          rows: one,
          to: (row, _, { position }) => row && { ...row, published: false, changed: position }
        },
        SnippetDeleted: {
          rows: one,
          // it belongs to nobody any more
          to: (row, _, { position }) =>
            row && { ...row, tenant: "", authors: [], published: false, gone: true, changed: position }
        }
      }
    }),
    leavers: table<LeaversRow>({
      columns: { id: "text", changed: "bigint" },
      indexes: ["(changed)"],
      on: {
        MemberErased: {
          rows: (event, envelope) => [leaver(event, envelope)],
          to: (_, event, envelope) => ({ id: leaver(event, envelope), changed: envelope.position })
        },
        OrganizationErased: {
          rows: (_, { tenant }) => [voterOf(tenant, "")],
          to: (_, __, { tenant, position }) => ({ id: voterOf(tenant, ""), changed: position })
        },
        UserErased: {
          rows: (event, envelope) => [leaver(event, envelope)],
          to: (_, event, envelope) => ({ id: leaver(event, envelope), changed: envelope.position })
        },
        VotesErased: {
          rows: ({ subject }) => [subject],
          to: (_, { subject }, { position }) => ({ id: subject, changed: position })
        }
      }
    })
  }
} satisfies Projection

const schema = schemaOf(Learned)

/** What one voter in one home said about a snippet. */
export type Said = Omit<VotesRow, "changed" | "tenant">

/** Who owns a snippet. */
export type WhoseSnippet = Omit<UploadsRow, "changed">

/** What changed in what was learned, up to `position`. */
export interface LearnedChanges {
  /** The build that was read: after another one was promoted, the reader begins again. */
  readonly build: number | undefined
  /** Where the read model stands. */
  readonly stands: number
  readonly position: number
  readonly said: ReadonlyArray<Said>
  /** Of all snippets that changed, and of those that votes in `said` are about. */
  readonly uploads: ReadonlyArray<WhoseSnippet>
  readonly leavers: ReadonlyArray<string>
}

const live = `name = '${Learned.name}' AND version = ${Learned.version} AND live`

/**
 * SQL for a page's end: its last row of votes, or of uploads if they are read, otherwise where the read model stands.
 */
const bound = `SELECT m.build, m.position AS stands, least(m.position,
    (SELECT changed FROM ${schema}.votes WHERE changed > $1 ORDER BY changed OFFSET $2::int LIMIT 1),
    (SELECT changed FROM ${schema}.uploads WHERE NOT $3::boolean AND changed > $1 ORDER BY changed OFFSET $2::int LIMIT 1)) AS position
  FROM (SELECT * FROM read_models WHERE ${live}) m`

/**
 * Reads the next changes after a position, about `rows` of them, in one snapshot, so that it has all changes up to
 * `position`. `anew`: for a reader that has nothing yet and needs only the uploads that votes are about.
 */
export const learnedChanges = (after: number, rows: number, anew: boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`
      const from = BigInt(after)
      const [ending] = yield* sql.unsafe<{ build: number; stands: bigint; position: bigint }>(bound, [from, rows, anew])
      const to = ending?.position ?? from
      const said = yield* sql.unsafe<Said>(
        `SELECT id, snippet, subject, home, voter, tasks FROM ${schema}.votes WHERE changed > $1 AND changed <= $2`,
        [from, to]
      )
      const uploads = yield* sql.unsafe<WhoseSnippet>(
        `SELECT id, tenant, authors, published, gone FROM ${schema}.uploads
         WHERE (NOT $4::boolean AND changed > $1 AND changed <= $2) OR id = ANY ($3::text[])`,
        [from, to, [...new Set(said.map(({ snippet }) => snippet))], anew]
      )
      const leavers = yield* sql.unsafe<{ id: string }>(
        `SELECT id FROM ${schema}.leavers WHERE changed > $1 AND changed <= $2`,
        [from, to]
      )
      const changes: LearnedChanges = {
        build: ending?.build,
        stands: Number(ending?.stands ?? from),
        position: Number(to),
        said,
        uploads,
        leavers: leavers.map(({ id }) => id)
      }
      return changes
    }).pipe(sql.withTransaction)
  )

/** Who owns these snippets. */
export const uploadsOf = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<WhoseSnippet>(
      `SELECT id, tenant, authors, published, gone FROM ${schema}.uploads WHERE id = ANY ($1::text[])`,
      [ids]
    )
  )
