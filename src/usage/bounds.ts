import { Clock, Effect } from "effect"
import type { BoundsOf } from "#domain/Bounds.ts"
import { type BoundRefusal, boundRefusal, dayOf, monthOf, type Used } from "#domain/bounded.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { boundsOf } from "#projections/Consumption/bounds.ts"
import { chatsOn, spentBy } from "#projections/Consumption/spent.ts"
import { pricesOf, totalOf } from "./cost.ts"

/** A chat that would begin, or take its next turn. */
export interface Chatting {
  readonly tenant: string
  readonly key: string
  readonly model: string
  /** Turns that it asks for, or has begun. */
  readonly turns: number
  /** Position and time (milliseconds) of its request, once there is one: of the day's chats, those before it count. */
  readonly requested: { readonly position: number; readonly recordedAt: number } | null
}

/**
 * What a tenant, or one of its keys, used: chats on the day of `requested`, or of `now` (milliseconds), and tokens and
 * cost in the month of `now`. Reads only what the bounds are about.
 */
export const usedOf = Effect.fnUntraced(function* (
  tenant: string,
  key: string | null,
  { chatsPerDay, tokensPerMonth, costPerMonth }: BoundsOf,
  now: number,
  requested: Chatting["requested"] = null
) {
  const { choices } = yield* LanguageModel
  const day = dayOf(requested?.recordedAt ?? now)
  const chats = chatsPerDay === null ? 0 : yield* chatsOn(tenant, key, day, requested?.position ?? null)
  if (tokensPerMonth === null && costPerMonth === null) return { chats, tokens: 0, cost: 0 } satisfies Used
  const { tokens, cost } = totalOf(choices, yield* spentBy(tenant, key, "model", monthOf(now), dayOf(now)))
  return { chats, tokens, cost } satisfies Used
})

/** Why a chat may not begin, or not go on; `undefined`: it may. The caller waits for the read model before. */
export const boundsRefusal = Effect.fnUntraced(function* ({ tenant, key, model, turns, requested }: Chatting) {
  const { choices } = yield* LanguageModel
  const now = yield* Clock.currentTimeMillis
  const priced = pricesOf(choices, model) !== undefined
  for (const { key: bounded, bounds } of yield* boundsOf(tenant, key)) {
    const used = yield* usedOf(tenant, bounded, bounds, now, requested)
    const of = bounded === null ? "tenant" : "key"
    const refusal: BoundRefusal | undefined = boundRefusal(of, bounds, used, {
      model,
      priced,
      turns,
      now,
      asked: requested?.recordedAt ?? now
    })
    if (refusal !== undefined) return refusal
  }
  return undefined
})

/** Most turns that a chat of a key may have; `null`: there is no bound. */
export const mostTurns = (tenant: string, key: string) =>
  Effect.map(boundsOf(tenant, key), (bounds) =>
    bounds.reduce<number | null>(
      (least, { bounds: { maxTurns } }) => (maxTurns === null ? least : Math.min(least ?? maxTurns, maxTurns)),
      null
    )
  )

/** With cents. Less than a dollar, and no whole cents: with three digits, since `$0.00` of `$0.00` says nothing. */
const dollars = (amount: number) => {
  const isOfCents = amount >= 1 || Math.round(amount * 100) / 100 === amount
  return `$${isOfCents ? amount.toFixed(2) : amount.toLocaleString("en", { maximumSignificantDigits: 3 })}`
}

/** Tells a caller why it is refused, and how to go on. */
export const told = (refusal: BoundRefusal): string => {
  const whose = (of: "tenant" | "key") => (of === "key" ? "This API key" : "All keys of this account together")
  switch (refusal._tag) {
    case "BoundReached": {
      const { bound, of, limit, used, resetsAt } = refusal
      const [most, now] =
        bound === "cost_per_month"
          ? [`cost ${dollars(limit)} a month`, dollars(used)]
          : bound === "chats_per_day"
            ? [`begin ${limit} chats a day`, used]
            : [`use ${limit} tokens a month`, used]
      return `${whose(of)} may ${most} (${bound}): ${now} used. It resets at ${new Date(resetsAt).toISOString()}. Wait until then, or ask an owner or admin for more.`
    }
    case "StorageBoundReached": {
      const { bound, of, limit, used, asked } = refusal
      const [most, frees] =
        bound === "snippets"
          ? [`store ${limit} snippets`, "delete snippets"]
          : [`commit ${limit} bytes to workspaces`, "erase workspaces (deleting files does not)"]
      const more = asked === null ? "" : `, and ${asked} more asked for`
      return `${whose(of)} may ${most} (${bound}): ${used} used${more}. It does not reset: ${frees} to make room, or ask an owner or admin for more.`
    }
    case "TooManyTurns":
      return `${whose(refusal.of)} may have ${refusal.limit} turns in a chat (max_turns): ${refusal.asked} used or asked for. It does not reset: ask for fewer, or an owner or admin for more.`
    case "ModelNotAllowed":
      return `The model ${JSON.stringify(refusal.model)} is none of those allowed here (models): ${refusal.allowed.join(", ") || "none"}. Ask for one of these, or an owner or admin for more.`
    case "CostUnknown":
      return `${whose(refusal.of)} may spend so much a month (cost_per_month), and nobody has said what the model ${JSON.stringify(refusal.model)} costs. Ask for one with prices (GET /api/models), or the operator for a price.`
  }
}
