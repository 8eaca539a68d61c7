import { Data, HashMap, Option, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"

/** What a tenant, or one of its keys, may use at most; `null` means no limit. Days and months are in UTC. */
export const BoundsFields = {
  chatsPerDay: Schema.NullOr(Schema.Int),
  /** Tokens of the models, input and output together. */
  tokensPerMonth: Schema.NullOr(Schema.Int),
  /** US dollars. */
  costPerMonth: Schema.NullOr(Schema.Finite),
  /** Per chat. */
  maxTurns: Schema.NullOr(Schema.Int),
  /** Names of the models that chats may ask for. */
  models: Schema.NullOr(Schema.Array(Schema.String)),
  /** Snippets stored at one time. */
  snippets: Schema.NullOr(Schema.Int),
  /** Bytes committed in workspaces. */
  repositoryBytes: Schema.NullOr(Schema.Int)
}
export const BoundsOf = Schema.Struct(BoundsFields)
export type BoundsOf = typeof BoundsOf.Type

export const unbounded: BoundsOf = {
  chatsPerDay: null,
  tokensPerMonth: null,
  costPerMonth: null,
  maxTurns: null,
  models: null,
  snippets: null,
  repositoryBytes: null
}

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const BoundsEvent = Schema.TaggedUnion({
  /** Bounds of the whole tenant, or of one key. They replace all that were set for it before. */
  BoundsSet: { tenant: Schema.String, key: Schema.NullOr(Schema.String), ...BoundsFields }
})
export type BoundsEvent = typeof BoundsEvent.Type

export type BoundsCommand = Data.TaggedEnum<{
  /** `key`: `null` for the whole tenant. */
  SetBounds: { readonly tenant: string; readonly key: string | null; readonly bounds: BoundsOf }
}>
export const BoundsCommand = Data.taggedEnum<BoundsCommand>()

export type BoundsState = HashMap.HashMap<string, BoundsOf>

const list = (models: BoundsOf["models"]) => (models === null ? null : [...new Set(models)].sort())

const same = (one: BoundsOf, other: BoundsOf) =>
  (Object.keys(unbounded) as Array<keyof BoundsOf>).every(
    (name) => JSON.stringify(one[name]) === JSON.stringify(other[name])
  )

/** What one tenant and its keys may use. */
export const Bounds: Decider<BoundsCommand, BoundsEvent, BoundsState, never> = {
  initial: HashMap.empty(),

  decide: ({ tenant, key, bounds: given }, state) => {
    const bounds = { ...given, models: list(given.models) }
    const before = Option.getOrElse(HashMap.get(state, key ?? ""), () => unbounded)
    return Result.succeed(same(before, bounds) ? [] : [BoundsEvent.cases.BoundsSet.make({ tenant, key, ...bounds })])
  },

  evolve: (state, { _tag, tenant: _, key, ...bounds }) => HashMap.set(state, key ?? "", bounds)
}
