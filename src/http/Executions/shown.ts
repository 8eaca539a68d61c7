import type { Schema } from "effect"
import type { Executed } from "#projections/Executions.ts"
import type { ShownExecution } from "#src/api/Executions.ts"
import { shownReview } from "#src/api/Review.ts"

/** The input as the object that clients expect; any other value is wrapped in one. */
export const objectOf = (input: unknown): { readonly [key: string]: unknown } =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? { ...input } : { value: input }

/** A run as the API tells it; `score`: how near its task is to the one asked for, 0 to 1. */
export const shown = (execution: Executed, score: number): ShownExecution => {
  const { input, input_hash, output, output_hash, output_type, error_message, error_type, verdict } = execution
  const review = execution.review ?? execution.auto_review
  return {
    id: execution.id,
    code_block_id: execution.code,
    execution_state: execution.state,
    duration_ms: Math.round(execution.duration),
    io: {
      input_data: objectOf(input),
      input_hash,
      output_data: (output ?? null) as Schema.Json,
      output_hash,
      output_type
    },
    triggering_task: execution.task,
    timestamp: execution.recorded_at.toISOString(),
    error_message,
    error_type,
    retrieval_score: score,
    verdict,
    review: review === null ? null : shownReview(review)
  }
}
