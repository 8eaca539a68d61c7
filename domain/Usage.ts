import { Schema } from "effect"

/** That a key is in use, a stream a key, at most one an hour. Nothing is decided on it. */
export const UsageEvent = Schema.TaggedUnion({ KeyUsed: { key: Schema.String } })
export type UsageEvent = typeof UsageEvent.Type
