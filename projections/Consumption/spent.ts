import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { UsageGroup } from "#domain/bounded.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Consumption } from "./tables.ts"

const schema = schemaOf(Consumption)

/** How many chats a tenant, or one key of it, asked for on a day; before a position, if one is given. */
export const chatsOn = (tenant: string, key: string | null, day: string, before: number | null) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ chats: number }>(
        `SELECT count(*)::int AS chats FROM ${schema}.chats WHERE tenant = $1 AND day = $2
           AND ($3::text IS NULL OR key = $3) AND ($4::bigint IS NULL OR position < $4::bigint)`,
        [tenant, day, key, before === null ? null : BigInt(before)]
      ),
      ([row]) => row!.chats
    )
  )

/** What one group used of one model, as it was asked for: prices are per model. Prompt-cache tokens are input, too. */
export interface Spent {
  readonly group: string
  readonly model: string
  readonly chats: number
  readonly turns: number
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

const columns = { day: "day", model: "model", key: "key", user: "person", workspace: "workspace" } as const

/** What a tenant, or one key of it, used from one day to another, both included. */
export const spentBy = (tenant: string, key: string | null, group: UsageGroup, from: string, to: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<Record<Exclude<keyof Spent, "group" | "model">, string> & Pick<Spent, "group" | "model">>(
        `SELECT ${columns[group]} AS "group", model, sum(chats) AS chats, sum(turns) AS turns, sum(input) AS input,
           sum(output) AS output, sum(cache_read) AS "cacheRead", sum(cache_write) AS "cacheWrite"
         FROM (
           SELECT day, model, key, person, workspace, 1 AS chats, 0 AS turns, 0 AS input, 0 AS output, 0 AS cache_read, 0 AS cache_write
           FROM ${schema}.chats WHERE tenant = $1 AND day BETWEEN $2 AND $3
           UNION ALL
           SELECT s.day, c.model, c.key, c.person, c.workspace, 0, s.turns, s.input, s.output, s.cache_read, s.cache_write
           FROM ${schema}.spent s JOIN ${schema}.chats c ON c.id = s.run WHERE s.tenant = $1 AND s.day BETWEEN $2 AND $3
         ) used WHERE $4::text IS NULL OR key = $4
         GROUP BY 1, 2 ORDER BY 1, 2`,
        [tenant, from, to, key]
      ),
      (rows) =>
        rows.map(
          (row): Spent => ({
            group: row.group,
            model: row.model,
            chats: Number(row.chats),
            turns: Number(row.turns),
            input: Number(row.input),
            output: Number(row.output),
            cacheRead: Number(row.cacheRead),
            cacheWrite: Number(row.cacheWrite)
          })
        )
    )
  )
