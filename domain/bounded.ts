import { Data } from "effect"
import type { BoundsOf } from "./Bounds.ts"

/** What has been used: chats of a day, tokens and US dollars of a month. */
export interface Used {
  readonly chats: number
  readonly tokens: number
  readonly cost: number
}

/** Whose bounds: the whole tenant's, or the key's. */
export type Bounded = "tenant" | "key"

/** A bound is used up. Its count begins anew at `resetsAt`, in milliseconds. */
export class BoundReached extends Data.TaggedError("BoundReached")<{
  readonly bound: "chats_per_day" | "tokens_per_month" | "cost_per_month"
  readonly of: Bounded
  readonly limit: number
  readonly used: number
  readonly resetsAt: number
}> {}
/**
 * A bound on storage is reached; its count never begins anew by itself. `asked`: what would be added to `used`; `null`
 * if that is not known yet.
 */
export class StorageBoundReached extends Data.TaggedError("StorageBoundReached")<{
  readonly bound: "snippets" | "repository_bytes"
  readonly of: Bounded
  readonly limit: number
  readonly used: number
  readonly asked: number | null
}> {}
/** More turns than a chat may have. */
export class TooManyTurns extends Data.TaggedError("TooManyTurns")<{
  readonly of: Bounded
  readonly limit: number
  readonly asked: number
}> {}
/** The bounds allow only the models in `allowed`. */
export class ModelNotAllowed extends Data.TaggedError("ModelNotAllowed")<{
  readonly model: string
  readonly allowed: ReadonlyArray<string>
}> {}
/** Costs are bounded, and the cost of this model is not known. */
export class CostUnknown extends Data.TaggedError("CostUnknown")<{ readonly model: string; readonly of: Bounded }> {}

export type BoundRefusal = BoundReached | StorageBoundReached | TooManyTurns | ModelNotAllowed | CostUnknown

/** What usage can be grouped by. */
export const usageGroups = ["day", "model", "key", "user", "workspace"] as const
export type UsageGroup = (typeof usageGroups)[number]

/** The day of a time in milliseconds, in UTC, as `2026-11-23`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The first day of a time's month, in UTC, as `2026-11-01`. */
export const monthOf = (time: number): string => `${dayOf(time).slice(0, 7)}-01`

const tomorrow = (time: number) => {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)
}
const nextMonth = (time: number) => {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** When the count of a bound begins anew, in milliseconds. */
export const resetsAt = (bound: BoundReached["bound"], now: number): number =>
  bound === "chats_per_day" ? tomorrow(now) : nextMonth(now)

/** What a chat asks for, before it begins or at its next turn. */
export interface Asking {
  readonly model: string
  /** Whether the model's cost is known. */
  readonly priced: boolean
  /** Turns that the chat wants, or has begun. */
  readonly turns: number
  /** Milliseconds. */
  readonly now: number
  /** When the chat was requested, in milliseconds. It counts for that day, however late its turns are. */
  readonly asked: number
}

/** Whether a chat may ask for a model at all, however much of its bounds is left. */
export const mayUse = (
  { models, costPerMonth }: Pick<BoundsOf, "models" | "costPerMonth">,
  { model, priced }: Pick<Asking, "model" | "priced">
): boolean => (models === null || models.includes(model)) && (costPerMonth === null || priced)

/** Why a chat may not begin, or go on; `undefined`: it may. */
export const boundRefusal = (
  of: Bounded,
  { chatsPerDay, tokensPerMonth, costPerMonth, maxTurns, models }: BoundsOf,
  used: Used,
  { model, priced, turns, now, asked }: Asking
): BoundRefusal | undefined => {
  if (models !== null && !models.includes(model)) return new ModelNotAllowed({ model, allowed: models })
  if (maxTurns !== null && turns > maxTurns) return new TooManyTurns({ of, limit: maxTurns, asked: turns })
  if (chatsPerDay !== null && used.chats >= chatsPerDay) {
    const counted = { limit: chatsPerDay, used: used.chats, resetsAt: resetsAt("chats_per_day", asked) }
    return new BoundReached({ bound: "chats_per_day", of, ...counted })
  }
  const spent = (bound: "tokens_per_month" | "cost_per_month", limit: number, used: number) =>
    new BoundReached({ bound, of, limit, used, resetsAt: resetsAt(bound, now) })
  if (tokensPerMonth !== null && used.tokens >= tokensPerMonth)
    return spent("tokens_per_month", tokensPerMonth, used.tokens)
  if (costPerMonth === null) return undefined
  if (!priced) return new CostUnknown({ model, of })
  return used.cost >= costPerMonth ? spent("cost_per_month", costPerMonth, used.cost) : undefined
}

/** What is stored, or would be. */
export interface Stored {
  readonly snippets: number
  /** Bytes of the files that commits of workspaces brought. */
  readonly bytes: number
}

/** What would be added; `bytes` is `null` if there will be some, but it is not known yet how many. */
export interface Added {
  readonly snippets: number
  readonly bytes: number | null
}

/** Why `more` may not be stored; `undefined`: it may. What takes no room is never refused. */
export const storageRefusal = (
  of: Bounded,
  { snippets, repositoryBytes }: Pick<BoundsOf, "snippets" | "repositoryBytes">,
  stored: Stored,
  more: Added
): StorageBoundReached | undefined => {
  const refused = (bound: StorageBoundReached["bound"], limit: number | null, used: number, asked: number | null) =>
    limit === null || asked === 0 || used + (asked ?? 1) <= limit
      ? undefined
      : new StorageBoundReached({ bound, of, limit, used, asked })
  return (
    refused("snippets", snippets, stored.snippets, more.snippets) ??
    refused("repository_bytes", repositoryBytes, stored.bytes, more.bytes)
  )
}
