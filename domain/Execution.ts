import { Data, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { text } from "#engine/Event.ts"
import { AnyJson } from "./anyJson.ts"

/** How a run of code ended. */
export const ExecutionState = Schema.Literals(["completed", "errored", "timed_out", "cancelled"])
export type ExecutionState = typeof ExecutionState.Type

/** Whether a run was useful to the agent that ran the code. */
export const AgentVerdict = Schema.Literals(["thumbs_up", "thumbs_down", "pending"])
export type AgentVerdict = typeof AgentVerdict.Type

const Strings = Schema.Array(Schema.String)

/** A detailed review of a run. */
export const Review = Schema.Struct({
  /** ISO 8601. */
  timestamp: Schema.String,
  verdict: AgentVerdict,
  reasoning: Schema.String,
  whatWorked: Strings,
  whatDidntWork: Strings,
  outputWasUseful: Schema.Boolean,
  outputWasCorrect: Schema.Boolean,
  outputWasComplete: Schema.Boolean,
  errorWasAppropriate: Schema.NullOr(Schema.Boolean),
  wouldUseAgain: Schema.Boolean,
  suggestedImprovements: Strings,
  requiredWorkaround: Schema.Boolean,
  workaroundDescription: Schema.NullOr(Schema.String)
})
export type Review = typeof Review.Type

/** A run of stored code, or of code that is known by name only. */
export const ExecutionRecorded = {
  execution: Schema.String,
  /** `null` if the code that ran is not stored. */
  snippet: Schema.NullOr(Schema.String),
  home: Schema.String,
  user: Schema.NullOr(Schema.String),
  state: ExecutionState,
  /** Milliseconds. */
  duration: Schema.Finite,
  verdict: Schema.NullOr(AgentVerdict),
  ...text({
    /** As the caller named it: an id, a name, `function_registry:<name>`. */
    codeBlock: Schema.String,
    task: Schema.String,
    input: AnyJson,
    inputHash: Schema.String,
    output: AnyJson,
    outputHash: Schema.String,
    outputType: Schema.String,
    errorMessage: Schema.NullOr(Schema.String),
    errorType: Schema.NullOr(Schema.String),
    agent: Schema.NullOr(Schema.String),
    review: Schema.NullOr(Review)
  })
}

/** The service's model has reviewed a run. */
export const ExecutionReviewed = {
  execution: Schema.String,
  snippet: Schema.NullOr(Schema.String),
  verdict: AgentVerdict,
  ...text({ review: Review })
}

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const ExecutionEvent = Schema.TaggedUnion({
  ExecutionRecorded,
  ExecutionReviewed,
  /** The text of the executions with this subject has expired and is gone. */
  ExecutionsErased: { subject: Schema.String }
})
export type ExecutionEvent = typeof ExecutionEvent.Type
const Event = ExecutionEvent.cases

type RecordedRun = typeof Event.ExecutionRecorded.Type

/** A run as its caller reports it. */
export type NewExecution = Omit<RecordedRun, "_tag" | "subject" | "text" | "snippet"> & {
  readonly text: NonNullable<RecordedRun["text"]>
}

export type ExecutionCommand = Data.TaggedEnum<{
  RecordUnstored: { readonly execution: NewExecution }
  ReviewUnstored: { readonly execution: string; readonly review: Review }
}>
export const ExecutionCommand = Data.taggedEnum<ExecutionCommand>()

/** No execution of code that is not stored here has this id. */
export class ExecutionNotFound extends Data.TaggedError("ExecutionNotFound")<{ readonly execution: string }> {}

/** The month of a time in milliseconds, in UTC, as `2026-11`. */
export const monthIn = (time: number): string => new Date(time).toISOString().slice(0, 7)

/**
 * The subject of a snippet's executions in one month. Their text can expire by month, and a deleted snippet can name
 * all its subjects, however many executions it had.
 */
export const monthSubject = (snippet: string, month: string): string => `snippet/${snippet}/executions/${month}`

/** The month of such a subject; `undefined` for any other subject. */
export const monthOfSubject = (subject: string): string | undefined =>
  /^snippet\/[^/]+\/executions\/(\d{4}-\d{2})$/.exec(subject)?.[1]

const subjectOf = (execution: string) => `execution/${execution}`

/** One run of code that is not stored here. The runs of a snippet are in the snippet's own stream. */
export const Execution: Decider<ExecutionCommand, ExecutionEvent, { readonly recorded: boolean }, ExecutionNotFound> = {
  initial: { recorded: false },

  decide: (command, state) =>
    ExecutionCommand.$match(command, {
      RecordUnstored: ({ execution }): Result.Result<Array<ExecutionEvent>, ExecutionNotFound> =>
        Result.succeed(
          state.recorded
            ? []
            : [Event.ExecutionRecorded.make({ ...execution, snippet: null, subject: subjectOf(execution.execution) })]
        ),
      ReviewUnstored: ({ execution, review }) =>
        state.recorded
          ? Result.succeed([
              Event.ExecutionReviewed.make({
                execution,
                snippet: null,
                verdict: review.verdict,
                subject: subjectOf(execution),
                text: { review }
              })
            ])
          : Result.fail(new ExecutionNotFound({ execution }))
    }),

  evolve: () => ({ recorded: true })
}
