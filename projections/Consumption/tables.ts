import { dayOf } from "#domain/bounded.ts"
import type { ChatEvent } from "#domain/Chat.ts"
import type { Envelope } from "#engine/Event.ts"
import type { Projection } from "#engine/Projection.ts"
import { ofErased, table } from "../table.ts"

interface ChatRow {
  /** The run's. */
  readonly id: string
  readonly tenant: string
  readonly key: string
  /** Whose chat it is. */
  readonly person: string
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

export interface BoundsRow {
  /** `tenant/key`; without a key, the whole tenant's. */
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

/** A stored snippet. */
interface SnippetRow {
  readonly id: string
  readonly tenant: string
  /** The key that stored it; `null`: the operator did. */
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

/** Bytes that the commits of a key brought to a workspace. */
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

/** A run's row of a day, with what one more request to its model took. */
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

/**
 * Read model `consumption`: which chats there were, what their models read and wrote each day, what is stored, and what
 * bounds that.
 */
export const Consumption = {
  name: "consumption",
  version: 5,
  tables: {
    chats: table<ChatRow>({
      columns: {
        id: "text",
        tenant: "text",
        key: "text",
        person: "text",
        workspace: "text",
        model: "text",
        day: "text",
        position: "bigint"
      },
      indexes: ["(tenant, day)"],
      on: {
        ChatRequested: {
          rows: ({ run }) => [run],
          to: (_, { run, key, workspace, model }, { tenant, actor, recordedAt, position }) => ({
            id: run,
            tenant,
            key,
            person: actor.user ?? "",
            workspace,
            model,
            day: dayOf(recordedAt),
            position
          })
        }
      },
      drops: ofErased
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
      },
      drops: ofErased
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
      },
      drops: ofErased
    })
  }
} satisfies Projection
