import { Schema } from "effect"

/**
 * Any JSON value, as a parser gave it. Its parts are not checked, since none can be wrong. Checking an object with
 * 50,000 members takes a quarter of a second each time it is read or written.
 */
export const AnyJson = Schema.Unknown as unknown as Schema.Codec<Schema.Json>
