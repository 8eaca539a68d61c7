import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { BoundsOf } from "#domain/Bounds.ts"
import { dayOf, type Stored, type UsageGroup } from "#domain/bounded.ts"
import type { ChatEvent } from "#domain/Chat.ts"
import type { Envelope } from "#engine/Event.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { table } from "./table.ts"

interface ChatRow {
  /** The run's. */
  readonly id: string
  readonly tenant: string
  readonly key: string
  readonly workspace: string
  /** The name that was asked for. */
  readonly model: string
  /** Of UTC, as `2026-11-23`. */
  readonly day: string
  readonly position: number
}

interface SpentRow {
  /** `run/day`. */
  readonly id: string
  readonly run: string
  readonly tenant: string
  readonly day: string
  readonly turns: number
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
}

interface BoundsRow {
  /** `tenant/key`, without a key for the whole tenant. */
  readonly id: string
  readonly tenant: string
  readonly key: string | null
  readonly chats_per_day: number | null
  readonly tokens_per_month: number | null
  readonly cost_per_month: number | null
  readonly max_turns: number | null
  /** JSON. */
  readonly models: string | null
  readonly snippets: number | null
  readonly repository_bytes: number | null
}

/** A snippet that is there. */
interface SnippetRow {
  readonly id: string
  readonly tenant: string
  /** That stored it; `null`: the operator. */
  readonly key: string | null
}

interface CommittedRow {
  /** `workspace/key`. */
  readonly id: string
  readonly tenant: string
  readonly workspace: string
  readonly key: string | null
  readonly bytes: number
}

interface Brought {
  readonly workspace: string
  readonly bytes?: number
}

/** What commits of a key brought to a workspace. */
const committed = {
  rows: ({ workspace, bytes = 0 }: Brought, { actor }: Envelope) => (bytes === 0 ? [] : [idOf(workspace, actor.key)]),
  to: (
    row: CommittedRow | undefined,
    { workspace, bytes = 0 }: Brought,
    { tenant, actor }: Envelope,
    id: string
  ): CommittedRow => ({ id, tenant, workspace, key: actor.key, bytes: Number(row?.bytes ?? 0) + bytes })
}

const idOf = (owner: string, key: string | null) => `${owner}/${key ?? ""}`

type Took = Pick<
  (typeof ChatEvent.cases.ChatCompacted)["Type"],
  "run" | "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens"
>

/** A day's row of a run, with what one more request took. */
const spend = (
  id: string,
  tenant: string,
  recordedAt: number,
  row: SpentRow | undefined,
  took: Took,
  turns: number
): SpentRow => ({
  id,
  run: took.run,
  tenant,
  day: dayOf(recordedAt),
  turns: Number(row?.turns ?? 0) + turns,
  input: Number(row?.input ?? 0) + took.inputTokens,
  output: Number(row?.output ?? 0) + took.outputTokens,
  cache_read: Number(row?.cache_read ?? 0) + took.cacheReadTokens,
  cache_write: Number(row?.cache_write ?? 0) + took.cacheWriteTokens
})

/** Read model `consumption`: which chats there were, what their models read and wrote each day, what is stored, and what bounds that. */
export const Consumption = {
  name: "consumption",
  version: 3,
  tables: {
    chats: table<ChatRow>({
      columns: {
        id: "text",
        tenant: "text",
        key: "text",
        workspace: "text",
        model: "text",
        day: "text",
        position: "bigint"
      },
      indexes: ["(tenant, day)"],
      on: {
        ChatRequested: {
          rows: ({ run }) => [run],
          to: (_, { run, key, workspace, model }, { tenant, recordedAt, position }) => ({
            id: run,
            tenant,
            key,
            workspace,
            model,
            day: dayOf(recordedAt),
            position
          })
        }
      }
    }),
    spent: table<SpentRow>({
      columns: {
        id: "text",
        run: "text",
        tenant: "text",
        day: "text",
        turns: "bigint",
        input: "bigint",
        output: "bigint",
        cache_read: "bigint",
        cache_write: "bigint"
      },
      indexes: ["(tenant, day)"],
      on: {
        ModelTurned: {
          rows: ({ run }, { recordedAt }) => [`${run}/${dayOf(recordedAt)}`],
          to: (row, turned, { tenant, recordedAt }, id) => spend(id, tenant, recordedAt, row, turned, 1)
        },
        ChatCompacted: {
          rows: ({ run }, { recordedAt }) => [`${run}/${dayOf(recordedAt)}`],
          to: (row, compacted, { tenant, recordedAt }, id) => spend(id, tenant, recordedAt, row, compacted, 0)
        },
        ChatRemembered: {
          rows: ({ run }, { recordedAt }) => [`${run}/${dayOf(recordedAt)}`],
          to: (row, remembered, { tenant, recordedAt }, id) => spend(id, tenant, recordedAt, row, remembered, 0)
        }
      }
    }),
    snippets: table<SnippetRow>({
      columns: { id: "text", tenant: "text", key: "text" },
      indexes: ["(tenant, key)"],
      on: {
        SnippetUploaded: {
          rows: ({ snippet }) => [snippet],
          to: (_, { snippet }, { tenant, actor }) => ({ id: snippet, tenant, key: actor.key })
        },
        SnippetDeleted: { rows: ({ snippet }) => [snippet], to: () => undefined }
      }
    }),
    committed: table<CommittedRow>({
      columns: { id: "text", tenant: "text", workspace: "text", key: "text", bytes: "bigint" },
      indexes: ["(tenant, key)", "(workspace)"],
      on: { ChatCompleted: committed, ChatFailed: committed, FilesChanged: committed, CommitsPushed: committed },
      drops: { WorkspaceErased: { column: "workspace", value: ({ workspace }) => workspace } }
    }),
    bounds: table<BoundsRow>({
      columns: {
        id: "text",
        tenant: "text",
        key: "text",
        chats_per_day: "bigint",
        tokens_per_month: "bigint",
        cost_per_month: "double precision",
        max_turns: "integer",
        models: "text",
        snippets: "bigint",
        repository_bytes: "bigint"
      },
      indexes: ["(tenant)"],
      on: {
        BoundsSet: {
          rows: ({ tenant, key }) => [idOf(tenant, key)],
          to: (_, { tenant, key, models, ...bounds }, __, id) => ({
            id,
            tenant,
            key,
            chats_per_day: bounds.chatsPerDay,
            tokens_per_month: bounds.tokensPerMonth,
            cost_per_month: bounds.costPerMonth,
            max_turns: bounds.maxTurns,
            models: models === null ? null : JSON.stringify(models),
            snippets: bounds.snippets,
            repository_bytes: bounds.repositoryBytes
          })
        },
        KeyRevoked: { rows: ({ key }, { tenant }) => [idOf(tenant, key)], to: () => undefined }
      }
    })
  }
} satisfies Projection

const schema = schemaOf(Consumption)
const whole = (value: number | bigint | null) => (value === null ? null : Number(value))

/** Bounds with the key that they are of; `null`: the whole tenant. */
export interface KeyBounds {
  readonly key: string | null
  readonly bounds: BoundsOf
}

/** What is said of a tenant and, unless told of one, all of its keys; at most so many. */
export const boundsOf = (tenant: string, key: string | null, limit = 1_000) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<BoundsRow>(
        `SELECT * FROM ${schema}.bounds WHERE tenant = $1 AND ($2::text IS NULL OR key IS NULL OR key = $2)
         ORDER BY key NULLS FIRST LIMIT $3::int`,
        [tenant, key, limit]
      ),
      (rows) =>
        rows.map(
          (row): KeyBounds => ({
            key: row.key,
            bounds: {
              chatsPerDay: whole(row.chats_per_day),
              tokensPerMonth: whole(row.tokens_per_month),
              costPerMonth: row.cost_per_month,
              maxTurns: row.max_turns,
              models: row.models === null ? null : JSON.parse(row.models),
              snippets: whole(row.snippets),
              repositoryBytes: whole(row.repository_bytes)
            }
          })
        )
    )
  )

/** Chats that a tenant, or one key of it, asked for on a day, before a position where one is given. */
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

/** Of one group and one model, as it was asked for: prices are the models'. Tokens of the prompt cache are input, too. */
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

const columns = { day: "day", model: "model", key: "key", workspace: "workspace" } as const

/** What a tenant, or one key of it, used from one day to another, both included. */
export const spentBy = (tenant: string, key: string | null, group: UsageGroup, from: string, to: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<Record<Exclude<keyof Spent, "group" | "model">, string> & Pick<Spent, "group" | "model">>(
        `SELECT ${columns[group]} AS "group", model, sum(chats) AS chats, sum(turns) AS turns, sum(input) AS input,
           sum(output) AS output, sum(cache_read) AS "cacheRead", sum(cache_write) AS "cacheWrite"
         FROM (
           SELECT day, model, key, workspace, 1 AS chats, 0 AS turns, 0 AS input, 0 AS output, 0 AS cache_read, 0 AS cache_write
           FROM ${schema}.chats WHERE tenant = $1 AND day BETWEEN $2 AND $3
           UNION ALL
           SELECT s.day, c.model, c.key, c.workspace, 0, s.turns, s.input, s.output, s.cache_read, s.cache_write
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

/** What a tenant, or one key of it, has stored. */
export const storedBy = (tenant: string, key: string | null) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ snippets: string; bytes: string }>(
        `SELECT
           (SELECT count(*) FROM ${schema}.snippets WHERE tenant = $1 AND ($2::text IS NULL OR key = $2)) AS snippets,
           (SELECT coalesce(sum(bytes), 0) FROM ${schema}.committed
            WHERE tenant = $1 AND ($2::text IS NULL OR key = $2)) AS bytes`,
        [tenant, key]
      ),
      ([row]): Stored => ({ snippets: Number(row!.snippets), bytes: Number(row!.bytes) })
    )
  )

/** Which of some snippets are there. */
export const thoseThere = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ id: string }>(
        `SELECT id FROM ${schema}.snippets WHERE id IN (SELECT json_array_elements_text($1::json))`,
        [JSON.stringify(ids)]
      ),
      (rows) => new Set(rows.map(({ id }) => id))
    )
  )
