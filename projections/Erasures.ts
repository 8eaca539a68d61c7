import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Envelope } from "#engine/Event.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { Consumption } from "./Consumption/tables.ts"
import { table } from "./table.ts"
import { Workspaces } from "./Workspaces/tables.ts"

interface ErasureRow {
  /** The organization's. */
  readonly id: string
  readonly members: number
  readonly keys: number
  readonly snippets: number
  readonly workspaces: number
  readonly commits: number
  readonly chats: number
  readonly files: number
  readonly begun_at: string
  readonly ended_at: string | null
  /** Of the last event that is counted. */
  readonly position: number
}

const own = (_: unknown, { tenant }: Envelope) => [tenant]

/** Read model `erasures`: organizations that were erased, and what of each is gone so far. */
export const Erasures = {
  name: "erasures",
  version: 1,
  tables: {
    organizations: table<ErasureRow>({
      columns: {
        id: "text",
        members: "integer",
        keys: "integer",
        snippets: "bigint",
        workspaces: "bigint",
        commits: "bigint",
        chats: "bigint",
        files: "bigint",
        begun_at: "timestamptz",
        ended_at: "timestamptz",
        position: "bigint"
      },
      on: {
        OrganizationErased: {
          rows: own,
          to: (_, { organization, members, keys }, { recordedAt, position }) => ({
            id: organization,
            members,
            keys,
            snippets: 0,
            workspaces: 0,
            commits: 0,
            chats: 0,
            files: 0,
            begun_at: new Date(recordedAt).toISOString(),
            ended_at: null,
            position
          })
        },
        SnippetDeleted: {
          rows: own,
          to: (row, _, { position }) => row && { ...row, snippets: Number(row.snippets) + 1, position }
        },
        WorkspaceErased: {
          rows: own,
          to: (row, { commits, chats, files }, { position }) =>
            row && {
              ...row,
              workspaces: Number(row.workspaces) + 1,
              commits: Number(row.commits) + commits,
              chats: Number(row.chats) + chats,
              files: Number(row.files) + files,
              position
            }
        },
        OrganizationErasureEnded: {
          rows: own,
          to: (row, _, { recordedAt, position }) =>
            row && { ...row, ended_at: new Date(recordedAt).toISOString(), position }
        }
      }
    })
  }
} satisfies Projection

/** How far the erasure of an organization is. */
export interface Erasure {
  readonly organization: string
  readonly begunAt: Date
  readonly endedAt: Date | null
  /** So far. */
  readonly erased: Readonly<
    Record<"members" | "keys" | "snippets" | "workspaces" | "commits" | "chats" | "files", number>
  >
  /** Still there. */
  readonly left: { readonly snippets: number; readonly workspaces: number }
  readonly position: number
}

/** The erasure of an organization; `undefined`: it was not erased. */
export const erasureOf = (organization: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<Record<string, unknown> & { begun_at: Date; ended_at: Date | null }>(
        `SELECT e.*,
          (SELECT count(*) FROM ${schemaOf(Consumption)}.snippets s WHERE s.tenant = e.id) AS snippets_left,
          (SELECT count(*) FROM ${schemaOf(Workspaces)}.workspaces w WHERE w.tenant = e.id) AS workspaces_left
        FROM ${schemaOf(Erasures)}.organizations e WHERE e.id = $1`,
        [organization]
      ),
      ([row]): Erasure | undefined => {
        if (row === undefined) return undefined
        const count = (column: string) => Number(row[column])
        return {
          organization,
          begunAt: row.begun_at,
          endedAt: row.ended_at,
          erased: {
            members: count("members"),
            keys: count("keys"),
            snippets: count("snippets"),
            workspaces: count("workspaces"),
            commits: count("commits"),
            chats: count("chats"),
            files: count("files")
          },
          left: { snippets: count("snippets_left"), workspaces: count("workspaces_left") },
          position: count("position")
        }
      }
    )
  )
