import { Context } from "effect"

/** The header in which an answer names the fields of its request that did nothing. */
export const ignoredHeader = "Cairn-Ignored-Fields"

/** Fields that existing clients send and that do nothing here, as paths with `*` for an entry of an array. */
export const IgnoredFields = Context.Reference<ReadonlySet<string>>("cairn/IgnoredFields", {
  defaultValue: () => new Set()
})

/** Annotates an endpoint with fields that it ignores. It refuses any other field that it does not know. */
export const ignores = (...fields: ReadonlyArray<string>): Context.Context<never> =>
  Context.make(IgnoredFields, new Set(fields))
