import type { AgentVerdict, ExecutionState } from "../enumerations.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** What was thought of a run. */
export interface AgentReview {
  /** ISO 8601. */
  readonly timestamp?: string | undefined
  /** Useful or not. */
  readonly verdict: AgentVerdict
  /** Why. */
  readonly reasoning: string
  /** Each in a sentence. */
  readonly whatWorked: ReadonlyArray<string>
  /** Each in a sentence. */
  readonly whatDidntWork: ReadonlyArray<string>
  /** Whether it helped with the task. */
  readonly outputWasUseful: boolean
  /** Whether it was right. */
  readonly outputWasCorrect: boolean
  /** Whether nothing was missing. */
  readonly outputWasComplete: boolean
  /** Whether a failure was what should have happened; `null` without one. */
  readonly errorWasAppropriate?: boolean | null | undefined
  /** Whether to take this code for such a task again. */
  readonly wouldUseAgain: boolean
  /** Each in a sentence. */
  readonly suggestedImprovements: ReadonlyArray<string>
  /** Whether it had to be helped along. Default: no. */
  readonly requiredWorkaround?: boolean | undefined
  /** How it was helped along. */
  readonly workaroundDescription?: string | null | undefined
}

export interface ReviewWire {
  readonly timestamp: string
  readonly verdict: AgentVerdict
  readonly reasoning: string
  readonly what_worked: ReadonlyArray<string>
  readonly what_didnt_work: ReadonlyArray<string>
  readonly output_was_useful: boolean
  readonly output_was_correct: boolean
  readonly output_was_complete: boolean
  readonly error_was_appropriate: boolean | null
  readonly would_use_again: boolean
  readonly suggested_improvements: ReadonlyArray<string>
  readonly required_workaround: boolean
  readonly workaround_description: string | null
}

export const reviewOf = (wire: ReviewWire): AgentReview => ({
  timestamp: wire.timestamp,
  verdict: wire.verdict,
  reasoning: wire.reasoning,
  whatWorked: wire.what_worked,
  whatDidntWork: wire.what_didnt_work,
  outputWasUseful: wire.output_was_useful,
  outputWasCorrect: wire.output_was_correct,
  outputWasComplete: wire.output_was_complete,
  errorWasAppropriate: wire.error_was_appropriate,
  wouldUseAgain: wire.would_use_again,
  suggestedImprovements: wire.suggested_improvements,
  requiredWorkaround: wire.required_workaround,
  workaroundDescription: wire.workaround_description
})

/** A review as a request has it. */
export const sentReview = (review: AgentReview): object => ({
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

/** A recorded run that the service's model is to review, with what may be told of it besides. */
export interface AutoReviewParams {
  /** As `executions.record` gave it. What else is told here stands in for what was recorded. */
  readonly executionId: string
  /** What it was run for. Default, here and below: as it was recorded. */
  readonly triggeringTask?: string | undefined
  /** How it ended. */
  readonly executionState?: ExecutionState | undefined
  /** What it took: JSON. */
  readonly inputData?: unknown
  /** What it gave: JSON. */
  readonly outputData?: unknown
  /** The snippet's name. */
  readonly codeBlockName?: string | undefined
  /** What the snippet does. Default: nothing is said of it. */
  readonly codeBlockDescription?: string | undefined
  /** What went wrong. */
  readonly errorMessage?: string | null | undefined
}

/** What `executions.review` gives. */
export interface AutoReviewResponse extends Result {
  /** False where no model can be asked; the verdict is `pending` then. */
  readonly success: boolean
  /** The run. */
  readonly executionId: string
  /** What the model thinks of it. */
  readonly review: AgentReview
  /** For a person. */
  readonly message: string
}

interface AutoReviewWire {
  readonly success: boolean
  readonly execution_id: string
  readonly review: ReviewWire
  readonly message: string
}

export const autoReview = (params: AutoReviewParams): Call<AutoReviewResponse> => ({
  method: "POST",
  path: "/api/store/auto-review",
  body: {
    execution_id: params.executionId,
    triggering_task: params.triggeringTask,
    execution_state: params.executionState,
    input_data: params.inputData,
    output_data: params.outputData,
    code_block_name: params.codeBlockName,
    code_block_description: params.codeBlockDescription,
    error_message: params.errorMessage
  },
  answer: json((wire: AutoReviewWire) => ({
    success: wire.success,
    executionId: wire.execution_id,
    review: reviewOf(wire.review),
    message: wire.message
  }))
})
