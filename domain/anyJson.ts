import { Schema } from "effect"

/**
 * Any JSON value, as a parser gave it. Nothing in it can be wrong, so that its parts are not looked at: of an object
 * with 50,000 members that takes a quarter of a second, each time it is read or written.
 */
export const AnyJson = Schema.Unknown as unknown as Schema.Codec<Schema.Json>
