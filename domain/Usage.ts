import { Schema } from "effect"

/** A key is in use: one stream per key, at most one event an hour. No decision depends on it. */
export const UsageEvent = Schema.TaggedUnion({ KeyUsed: { key: Schema.String } })
export type UsageEvent = typeof UsageEvent.Type
