import { Schema, SchemaGetter } from "effect"
import { isWithin, longestDependencies, mostDependencies } from "#domain/dependencies.ts"
import { thousands } from "#domain/text/thousands.ts"
import { isInYears } from "#domain/times.ts"
import { toldPosition } from "#domain/toldPosition.ts"
import { jsonParts } from "#engine/jsonPieces.ts"

/** The message for text that is not well-formed, which no store keeps unchanged. */
export const unstorable = "has a NUL or half a surrogate pair; expected well-formed text without NUL"

const storable = Schema.makeFilter(
  (text: string) => (text.includes("\u0000") || !text.isWellFormed() ? unstorable : undefined),
  // patterns are about characters, and half a surrogate pair is none
  { toJsonSchema: () => [{ pattern: "^[^\\u0000]*$" }, true] }
)

/** The same check, without its pattern in the document: for a text that has one of its own. */
export const wellFormed = storable.annotate({ toJsonSchema: () => [{}, true] })

/** Well-formed text without NUL, of any length. */
export const AnyText = Schema.String.check(storable)

/** Text of 1 to `maximum` characters. */
export const textUpTo = (maximum: number) => {
  const message = `is empty or too long; expected 1 to ${thousands(maximum)} characters`
  return AnyText.check(Schema.isMinLength(1, { message }), Schema.isMaxLength(maximum, { message }))
}

/** An id, or a name that stands for one. */
export const Id = textUpTo(1_000)

/** Text of 1 to 100,000 characters. */
export const Text = textUpTo(100_000)

/** Text of 0 to 100,000 characters. */
export const TextOrEmpty = AnyText.check(
  Schema.isMaxLength(100_000, { message: "is too long; expected at most 100,000 characters" })
)

/** What code should do, or did. A body bounds its length; of a long one, the service reads and keeps a part. */
export const Task = AnyText.check(Schema.isMinLength(1, { message: "is empty; expected what the code should do" }))

/** A source file's content: at most 1 MiB of UTF-8. */
export const FileContent = AnyText.check(
  Schema.makeFilter((text: string) =>
    text.length > 1_048_576 || Buffer.byteLength(text) > 1_048_576
      ? "is too large; expected at most 1 MiB (1,048,576 bytes)"
      : undefined
  )
)

/** A date, optionally with a time and a zone. Runtimes differ in what else they take for a time. */
export const iso8601 =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?$/u

const years = "is outside the years 1 to 9999 in UTC; expected a time in between, or none"

export const time = Schema.String.check(
  Schema.isPattern(iso8601, { message: "is no time; expected ISO 8601, e.g. 2026-01-31T12:00:00Z", abort: true }),
  Schema.makeFilter((text: string) => (isInYears(millisecondsOf(text)) ? undefined : years))
)

/** A position as an answer told it. */
export const toldPlace = Schema.String.check(
  Schema.isPattern(toldPosition, { message: "is no position; expected one that an answer told, as its next_after" })
)

/** A place in the log: a position or a time. */
export const PositionOrTime = Schema.String.check(
  Schema.isPattern(new RegExp(`${toldPosition.source}|${iso8601.source}`, "u"), {
    message: "is neither a position nor a time; expected ISO 8601, e.g. 2026-01-31T12:00:00Z",
    abort: true
  }),
  Schema.makeFilter((text: string) => (!iso8601.test(text) || isInYears(millisecondsOf(text)) ? undefined : years))
)

/** Milliseconds since the epoch of an ISO 8601 time; one without a zone is in UTC. */
export const millisecondsOf = (text: string): number =>
  Date.parse(/^.{10}[T ][\d:.]+$/.test(text) ? `${text.replace(" ", "T")}Z` : text.replace(" ", "T"))

/** A whole number from `minimum` to `maximum`, both included. */
export const whole = (minimum: number, maximum: number) => {
  const message = `is out of range; expected a whole number from ${minimum} to ${maximum}`
  return Schema.Number.check(Schema.isInt({ message }), Schema.isBetween({ minimum, maximum }, { message }))
}

/** An optional whole number in a query: digits, and no other notation of a number. */
export const wholeInQuery = (minimum: number, maximum: number) => {
  const message = `is no whole number; expected one from ${minimum} to ${maximum}`
  // the document declares a parameter with bounds as a number
  const digits = Schema.isPattern(/^[0-9]+$/, { message, toJsonSchema: () => ({ minimum, maximum }) })
  return Schema.optional(
    Schema.String.check(digits).pipe(Schema.decodeTo(Schema.FiniteFromString), Schema.decodeTo(whole(minimum, maximum)))
  )
}

export const fraction = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 1 }, { message: "is out of range; expected a number from 0 to 1" })
)

export const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

/** Names of properties, or of anything else that a request lists. */
export const mostNames = 1_000
const tooLong = `are too long; expected at most ${thousands(longestDependencies)} characters of names and versions together`
const tooManyNames = { message: `has too many names; expected at most ${thousands(mostNames)}` }

/** Whether a value's JSON has more than `most` characters. Writes no more of it than it takes to know. */
export const isLongerThan = (value: unknown, most: number): boolean => {
  let left = most
  for (const part of jsonParts(value)) {
    left -= part.length
    if (left < 0) return true
  }
  return false
}

const longestSchema = 65_536

/** A JSON schema of at most 65,536 characters of JSON. */
export const JsonSchema = JsonObject.check(
  Schema.isMaxProperties(mostNames, tooManyNames),
  Schema.makeFilter((schema) =>
    isLongerThan(schema, longestSchema)
      ? "is too large; expected a JSON schema of at most 65,536 characters"
      : undefined
  )
)

/** Package name to version. Older clients send a list of names, or `null` for a version. */
export const Dependencies = Schema.Union([
  // names are checked separately: a record skips keys that do not fit its own
  Schema.Record(Schema.String, Schema.NullOr(AnyText)).check(
    Schema.isPropertyNames(AnyText),
    Schema.isMaxProperties(mostDependencies, tooManyNames)
  ),
  Schema.Array(AnyText).check(Schema.isMaxLength(mostDependencies, tooManyNames))
]).pipe(
  Schema.decodeTo(
    Schema.Record(Schema.String, Schema.String).check(Schema.makeFilter((given) => isWithin(given) || tooLong)),
    {
      decode: SchemaGetter.transform(
        (given): Record<string, string> =>
          Array.isArray(given)
            ? Object.fromEntries((given as ReadonlyArray<string>).map((name) => [name, ""]))
            : Object.fromEntries(Object.entries(given).map(([name, version]) => [name, version ?? ""]))
      ),
      encode: SchemaGetter.transform((map): Record<string, string | null> => map)
    }
  )
)

/** A field that may be left out; `null` says the same. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

/** A field that may be left out or `null`; the document names the value that it then has. */
export const withDefault = <S extends Schema.Top>(schema: S, value: S["Type"]) =>
  Schema.optional(Schema.NullOr(schema)).annotate({ default: value as never })

/** In an answer that may lack the latest writes, like `Cairn-Stale` in its head; left out of others. */
export const Stale = Schema.optionalKey(Schema.Literal(true))
