import { Schema, SchemaGetter } from "effect"
import { AgentVerdict, type Review } from "#domain/Execution.ts"
import { millisecondsOf, optional, TextOrEmpty, time } from "./fields.ts"

/** Literals in lower case, which some callers send in upper case: reads both. */
export const eitherCase = <L extends string>(literals: ReadonlyArray<L>) =>
  Schema.Literals([...literals, ...literals.map((one) => one.toUpperCase() as Uppercase<L>)]).pipe(
    Schema.decodeTo(Schema.Literals(literals), {
      decode: SchemaGetter.transform((given) => given.toLowerCase() as L),
      encode: SchemaGetter.transform((value): L | Uppercase<L> => value)
    })
  )

export const Verdict = eitherCase(AgentVerdict.literals)

const Texts = Schema.Array(TextOrEmpty).check(
  Schema.isMaxLength(100, { message: "has too many entries; expected at most 100" })
)

/** A field under both of its names. */
const both = <const S extends string, const C extends string, F extends Schema.Top>(snake: S, camel: C, schema: F) =>
  ({ [snake]: optional(schema), [camel]: optional(schema) }) as {
    readonly [K in S | C]: ReturnType<typeof optional<F>>
  }

const required = [
  ["output_was_useful", "outputWasUseful"],
  ["output_was_correct", "outputWasCorrect"],
  ["output_was_complete", "outputWasComplete"],
  ["would_use_again", "wouldUseAgain"]
] as const

/** A review as callers send it: some in snake_case, some in camelCase. */
export const GivenReview = Schema.Struct({
  timestamp: optional(time),
  verdict: Verdict,
  reasoning: TextOrEmpty,
  ...both("what_worked", "whatWorked", Texts),
  ...both("what_didnt_work", "whatDidntWork", Texts),
  ...both("output_was_useful", "outputWasUseful", Schema.Boolean),
  ...both("output_was_correct", "outputWasCorrect", Schema.Boolean),
  ...both("output_was_complete", "outputWasComplete", Schema.Boolean),
  ...both("error_was_appropriate", "errorWasAppropriate", Schema.Boolean),
  ...both("would_use_again", "wouldUseAgain", Schema.Boolean),
  ...both("suggested_improvements", "suggestedImprovements", Texts),
  ...both("required_workaround", "requiredWorkaround", Schema.Boolean),
  ...both("workaround_description", "workaroundDescription", TextOrEmpty)
})
  .check(
    Schema.makeFilter((given) => {
      const missing = required.find(([snake, camel]) => given[snake] == null && given[camel] == null)
      return missing === undefined ? undefined : { path: [missing[0]], issue: "is missing; expected true or false" }
    })
  )
  .annotate({ identifier: "GivenAgentReview" })

/** A given review in the domain's terms. `now` (milliseconds since the epoch) stands in for a missing time. */
export const reviewOf = (given: typeof GivenReview.Type, now: number): Review => ({
  timestamp: new Date(given.timestamp == null ? now : millisecondsOf(given.timestamp)).toISOString(),
  verdict: given.verdict,
  reasoning: given.reasoning,
  whatWorked: given.what_worked ?? given.whatWorked ?? [],
  whatDidntWork: given.what_didnt_work ?? given.whatDidntWork ?? [],
  outputWasUseful: given.output_was_useful ?? given.outputWasUseful ?? false,
  outputWasCorrect: given.output_was_correct ?? given.outputWasCorrect ?? false,
  outputWasComplete: given.output_was_complete ?? given.outputWasComplete ?? false,
  errorWasAppropriate: given.error_was_appropriate ?? given.errorWasAppropriate ?? null,
  wouldUseAgain: given.would_use_again ?? given.wouldUseAgain ?? false,
  suggestedImprovements: given.suggested_improvements ?? given.suggestedImprovements ?? [],
  requiredWorkaround: given.required_workaround ?? given.requiredWorkaround ?? false,
  workaroundDescription: given.workaround_description ?? given.workaroundDescription ?? null
})

const Strings = Schema.Array(Schema.String)

/** A review as the API tells it. */
export const ShownReview = Schema.Struct({
  timestamp: Schema.String,
  verdict: AgentVerdict,
  reasoning: Schema.String,
  what_worked: Strings,
  what_didnt_work: Strings,
  output_was_useful: Schema.Boolean,
  output_was_correct: Schema.Boolean,
  output_was_complete: Schema.Boolean,
  error_was_appropriate: Schema.NullOr(Schema.Boolean),
  would_use_again: Schema.Boolean,
  suggested_improvements: Strings,
  required_workaround: Schema.Boolean,
  workaround_description: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AgentReview" })

/** A review under the API's names. */
export const shownReview = (review: Review): typeof ShownReview.Type => ({
  timestamp: review.timestamp,
  verdict: review.verdict,
  reasoning: review.reasoning,
  what_worked: review.whatWorked,
  what_didnt_work: review.whatDidntWork,
  output_was_useful: review.outputWasUseful,
  output_was_correct: review.outputWasCorrect,
  output_was_complete: review.outputWasComplete,
  error_was_appropriate: review.errorWasAppropriate,
  would_use_again: review.wouldUseAgain,
  suggested_improvements: review.suggestedImprovements,
  required_workaround: review.requiredWorkaround,
  workaround_description: review.workaroundDescription
})
