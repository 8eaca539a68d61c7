import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Envelope } from "#engine/Event.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { Gradings } from "./Gradings.ts"
import { ofErased, table } from "./table.ts"

/** What is counted. */
export const kinds = [
  ...(["searches", "uploads", "votes_for", "votes_against"] as const),
  ...(["executions", "comments", "chats", "chats_failed"] as const)
] as const
export type Kind = (typeof kinds)[number]

interface HourRow {
  /** `tenant/hour/kind`. */
  readonly id: string
  readonly tenant: string
  /** Its beginning. */
  readonly hour: string
  readonly kind: Kind
  readonly count: number
}

const hourOf = (recordedAt: number): string => `${new Date(recordedAt).toISOString().slice(0, 13)}:00:00.000Z`

/** Counts one more of a kind, in the hour in which the event was recorded. */
const counted = <E>(kindOf: (event: E) => Kind) => ({
  rows: (event: E, { tenant, recordedAt }: Envelope) => [`${tenant}/${hourOf(recordedAt)}/${kindOf(event)}`],
  to: (row: HourRow | undefined, event: E, { tenant, recordedAt }: Envelope, id: string): HourRow => ({
    id,
    tenant,
    hour: hourOf(recordedAt),
    kind: kindOf(event),
    count: Number(row?.count ?? 0) + 1
  })
})

/**
 * Read model `activity`: how much of what happened in each hour. It holds numbers alone, so that erased texts leave it
 * as it is; an organization's rows go with it.
 */
export const Activity = {
  name: "activity",
  version: 1,
  tables: {
    hours: table<HourRow>({
      columns: { id: "text", tenant: "text", hour: "timestamptz", kind: "text", count: "integer" },
      indexes: ["(tenant, hour)"],
      on: {
        SearchAnswered: counted(() => "searches"),
        SnippetUploaded: counted(() => "uploads"),
        VoteCast: counted(({ value }) => (value === 1 ? "votes_for" : "votes_against")),
        ExecutionRecorded: counted(() => "executions"),
        CommentAdded: counted(() => "comments"),
        ChatRequested: counted(() => "chats"),
        ChatFailed: counted(() => "chats_failed")
      },
      drops: ofErased
    })
  }
} satisfies Projection

/** What happened in an hour. */
export interface Hour {
  readonly hour: Date
  readonly kind: Kind
  readonly count: number
}

/** What was counted of a tenant from `since` until `until`, by hour; hours and kinds without any are left out. */
export const hoursOf = (tenant: string, since: Date, until: Date) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Hour>(
      `SELECT hour, kind, count FROM ${schemaOf(Activity)}.hours
       WHERE tenant = $1 AND hour >= $2::timestamptz AND hour < $3::timestamptz ORDER BY hour, kind`,
      [tenant, since.toISOString(), until.toISOString()]
    )
  )

/** How many gradings of a tenant's snippets are due. */
export const pendingGradings = (tenant: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${schemaOf(Gradings)}.gradings WHERE state = 'pending' AND tenant = $1`,
        [tenant]
      ),
      ([row]) => row!.count
    )
  )
