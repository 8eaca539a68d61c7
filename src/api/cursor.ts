import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { AnyText, textUpTo, wholeInQuery } from "./fields.ts"
import { fieldProblem, type Problem } from "./Problem.ts"

/** A request's cursor: the `next_cursor` of an answer. Only the service that wrote it reads it. */
export const Cursor = textUpTo(2_000)

/** An answer's cursor to the rest of a list; `null`: the list ends here. */
export const NextCursor = Schema.NullOr(Schema.String)

/** The most entries on a page, and how many a caller gets who asks for no number: more than most lists have. */
export const mostListed = 1_000

/** The query of such a list. */
export const pageQuery = Schema.Struct({
  limit: wholeInQuery(1, mostListed),
  cursor: Schema.optional(Cursor)
})

/** Parts of a place in a list. */
export const placeId = AnyText.check(Schema.isMaxLength(500))
export const placeTime = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 }), Schema.isInt())
export const placeCount = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }), Schema.isInt())
export const placePosition = Schema.Number.check(
  Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Schema.isInt()
)

const bad = fieldProblem(
  "validation/invalid_field",
  "cursor",
  "cursor: is none of this list; expected the next_cursor of an answer to the same request, or nothing to begin anew."
)
const both = fieldProblem(
  "validation/invalid_field",
  "offset",
  "offset: is given together with cursor; expected one of them. A cursor says by itself where to go on."
)

/**
 * Cursors of a list. A cursor holds what the last entry was sorted by, so that later writes do not move its place.
 * `asked` is all that decides what the list has and in which order: a cursor works for the same question only. It opens
 * nothing that the question does not.
 */
export const cursors = <A extends ReadonlyArray<unknown>>(place: Schema.Codec<A>) => {
  const Text = Schema.fromJsonString(Schema.Tuple([Schema.String, place]))
  const decode = Schema.decodeUnknownEffect(Text)
  const encode = Schema.encodeSync(Text)
  const digestOf = (asked: ReadonlyArray<unknown>) =>
    createHash("sha256").update(JSON.stringify(asked)).digest("base64url").slice(0, 8)
  return {
    write: (asked: ReadonlyArray<unknown>, at: A): string =>
      Buffer.from(encode([digestOf(asked), at])).toString("base64url"),

    /** The place after which a request continues; `null`: it begins at the start. */
    read: (
      asked: ReadonlyArray<unknown>,
      given: string | null | undefined,
      offset?: number | null
    ): Effect.Effect<A | null, Problem> =>
      Effect.gen(function* () {
        if (given == null) return null
        if (offset != null && offset !== 0) return yield* both
        const json = Buffer.from(given, "base64url").toString()
        const [digest, at] = yield* Effect.mapError(decode(json), () => bad)
        return digest === digestOf(asked) ? at : yield* bad
      })
  }
}
