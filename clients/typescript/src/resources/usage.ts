import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** What `usage` takes. Days are those of UTC, such as `2026-11-23`. */
export interface UsageParams {
  /** What each entry is of. Default: `day`. */
  readonly by?: "day" | "model" | "key" | "user" | "workspace" | undefined
  /** The first day. Default: the first of the month of `until`. */
  readonly since?: string | undefined
  /** The last day. Default: today. */
  readonly until?: string | undefined
}

/** What chats used together. */
export interface UsageTotal {
  /** Chats that were begun. */
  readonly chats: number
  /** Turns of models. */
  readonly turns: number
  /** Tokens that models read, those of a prompt cache too. */
  readonly inputTokens: number
  /** Tokens that they wrote. */
  readonly outputTokens: number
  /** Tokens of the input that a prompt cache had. */
  readonly cacheReadTokens: number
  /** Tokens of the input that were put there. */
  readonly cacheWriteTokens: number
  /** US dollars by the prices that the service has now; `null`: it has none for one of the models. */
  readonly cost: number | null
}

/** What was used of one kind. */
export interface UsageEntry extends UsageTotal {
  /** The day, the model as chats ask for it, or the id of the key, the person (`user`) or the workspace. */
  readonly of: string
}

/** How far a bound is spent. */
export interface SpentBound {
  /** `null`: it is of the whole organization. */
  readonly keyId: string | null
  /** `chats_per_day`, `tokens_per_month` or `cost_per_month`. */
  readonly bound: string
  /** Chats, tokens or US dollars. */
  readonly limit: number
  /** Today, or this month. */
  readonly used: number
  /** When its count begins anew, in ISO 8601. */
  readonly resetsAt: string
}

/** How far a bound of what is stored is taken. */
export interface StorageBound {
  /** `null`: it is of the whole organization. */
  readonly keyId: string | null
  /** `snippets` or `repository_bytes`. */
  readonly bound: string
  /** How many snippets or bytes there may be. */
  readonly limit: number
  /** How many of them there are. */
  readonly used: number
}

/** What is stored. It does not begin anew by itself: deleting snippets and erasing workspaces frees it. */
export interface StoredUsage {
  /** That are there. */
  readonly snippets: number
  /** That commits of the workspaces brought which are there. */
  readonly repositoryBytes: number
  /** What bounds it. */
  readonly bounds: ReadonlyArray<StorageBound>
}

/** What `usage` gives. */
export interface UsageReport extends Result {
  /** The first day that is counted. */
  readonly since: string
  /** The last one. */
  readonly until: string
  /** What each entry is of. */
  readonly by: string
  /** Days in their order, else those that used the most tokens first; at most 1,000. */
  readonly usage: ReadonlyArray<UsageEntry>
  /** How many further entries there are. */
  readonly leftOut: number
  /** All entries together, those that are left out too. */
  readonly total: UsageTotal
  /** Bounds that are spent over time, and how far they are. */
  readonly bounds: ReadonlyArray<SpentBound>
  /** What is stored now; `null` where the service is of before it told that. */
  readonly stored: StoredUsage | null
}

interface TotalWire {
  readonly chats: number
  readonly turns: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cost: number | null
}

interface UsageWire {
  readonly since: string
  readonly until: string
  readonly by: string
  readonly usage: ReadonlyArray<TotalWire & { readonly of: string }>
  readonly left_out?: number
  readonly total: TotalWire
  readonly bounds: ReadonlyArray<{
    readonly key_id: string | null
    readonly bound: string
    readonly limit: number
    readonly used: number
    readonly resets_at: string
  }>
  readonly stored?: {
    readonly snippets: number
    readonly repository_bytes: number
    readonly bounds: ReadonlyArray<{
      readonly key_id: string | null
      readonly bound: string
      readonly limit: number
      readonly used: number
    }>
  }
}

const totalOf = (wire: TotalWire): UsageTotal => ({
  chats: wire.chats,
  turns: wire.turns,
  inputTokens: wire.input_tokens,
  outputTokens: wire.output_tokens,
  cacheReadTokens: wire.cache_read_tokens,
  cacheWriteTokens: wire.cache_write_tokens,
  cost: wire.cost
})

const storedOf = (wire: NonNullable<UsageWire["stored"]>): StoredUsage => ({
  snippets: wire.snippets,
  repositoryBytes: wire.repository_bytes,
  bounds: wire.bounds.map(({ key_id: keyId, bound, limit, used }) => ({ keyId, bound, limit, used }))
})

export const usage = ({ by, since, until }: UsageParams): Call<UsageReport> => ({
  method: "GET",
  path: "/api/usage",
  query: { by, since, until },
  answer: json((wire: UsageWire) => ({
    since: wire.since,
    until: wire.until,
    by: wire.by,
    usage: wire.usage.map(({ of, ...total }) => ({ of, ...totalOf(total) })),
    leftOut: wire.left_out ?? 0,
    total: totalOf(wire.total),
    bounds: wire.bounds.map((one) => ({
      keyId: one.key_id,
      bound: one.bound,
      limit: one.limit,
      used: one.used,
      resetsAt: one.resets_at
    })),
    stored: wire.stored === undefined ? null : storedOf(wire.stored)
  }))
})
