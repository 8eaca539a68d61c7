import { Effect } from "effect"
import type { BoundsOf } from "#domain/Bounds.ts"
import { resetsAt, type UsageGroup } from "#domain/bounded.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { boundsOf, type KeyBounds } from "#projections/Consumption/bounds.ts"
import { type Spent, spentBy } from "#projections/Consumption/spent.ts"
import { storedBy } from "#projections/Consumption/stored.ts"
import { usedOf } from "./bounds.ts"
import { totalOf } from "./cost.ts"

/** Most rows of a report: those that used the most; by day, the latest. */
const mostRows = 1_000

export interface AskedUsage {
  readonly tenant: string
  /** `null`: all keys of the tenant. */
  readonly key: string | null
  readonly by: UsageGroup
  /** Days of UTC, both included. */
  readonly since: string
  readonly until: string
}

/** Bounds as callers see them. */
export const shownBounds = (key: string | null, bounds: BoundsOf) => ({
  key_id: key,
  chats_per_day: bounds.chatsPerDay,
  tokens_per_month: bounds.tokensPerMonth,
  cost_per_month: bounds.costPerMonth,
  max_turns: bounds.maxTurns,
  models: bounds.models,
  snippets: bounds.snippets,
  repository_bytes: bounds.repositoryBytes
})

/** What is stored, and how far its bounds are used up. */
const storedNow = Effect.fnUntraced(function* (tenant: string, key: string | null, all: ReadonlyArray<KeyBounds>) {
  const shown = yield* Effect.forEach(all, ({ key, bounds: { snippets, repositoryBytes } }) =>
    snippets === null && repositoryBytes === null
      ? Effect.succeed([])
      : Effect.map(storedBy(tenant, key), (stored) =>
          (
            [
              ["snippets", snippets, stored.snippets],
              ["repository_bytes", repositoryBytes, stored.bytes]
            ] as const
          ).flatMap(([bound, limit, used]) => (limit === null ? [] : [{ key_id: key, bound, limit, used }]))
        )
  )
  const { snippets, bytes } = yield* storedBy(tenant, key)
  return { snippets, repository_bytes: bytes, bounds: shown.flat() }
})

/** What was used, as callers see it, and how far bounds are used up at `now` (milliseconds). */
export const usageReport = Effect.fnUntraced(function* ({ tenant, key, by, since, until }: AskedUsage, now: number) {
  const { choices } = yield* LanguageModel
  const spent = yield* spentBy(tenant, key, by, since, until)
  const shown = (of: ReadonlyArray<Spent>) => {
    const { chats, turns, input, output, cacheRead, cacheWrite, cost, priced } = totalOf(choices, of)
    return {
      chats,
      turns,
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      cost: priced ? cost : null
    }
  }
  const rows = [...Map.groupBy(spent, ({ group }) => group)].map(([of, its]) => ({ of, ...shown(its) }))
  const tokens = (row: (typeof rows)[number]) => row.input_tokens + row.output_tokens
  if (by !== "day") rows.sort((one, other) => tokens(other) - tokens(one) || other.chats - one.chats)
  const all = yield* boundsOf(tenant, key)
  const bounded = yield* Effect.forEach(all, ({ key, bounds }) =>
    Effect.map(usedOf(tenant, key, bounds, now), (used) =>
      (
        [
          ["chats_per_day", bounds.chatsPerDay, used.chats],
          ["tokens_per_month", bounds.tokensPerMonth, used.tokens],
          ["cost_per_month", bounds.costPerMonth, used.cost]
        ] as const
      ).flatMap(([bound, limit, used]) =>
        limit === null
          ? []
          : [{ key_id: key, bound, limit, used, resets_at: new Date(resetsAt(bound, now)).toISOString() }]
      )
    )
  )
  const kept = by === "day" ? rows.slice(-mostRows) : rows.slice(0, mostRows)
  return {
    since,
    until,
    by,
    usage: kept,
    left_out: rows.length - kept.length,
    total: shown(spent),
    bounds: bounded.flat(),
    stored: yield* storedNow(tenant, key, all)
  }
})
