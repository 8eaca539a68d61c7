import type { AgentVerdict, NewExecution } from "#domain/Execution.ts"
import { keptTask } from "#domain/keptTask.ts"
import type { NewVote } from "#domain/Snippet/commands.ts"
import type { Executed } from "#projections/Executions.ts"
import type { RecordRequest, ReviewRequest } from "#src/api/Executions.ts"
import { reviewOf } from "#src/api/Review.ts"
import type { Reviewed } from "#src/snippets/review.ts"

/** The run as its caller tells it. If no verdict is given, the review's is taken. */
export const executionFrom = (
  payload: typeof RecordRequest.Type,
  facts: Pick<NewExecution, "execution" | "home" | "user"> & { readonly agent: string | null },
  now: number
): NewExecution => {
  const { agent, ...ids } = facts
  const review = payload.review == null ? null : reviewOf(payload.review, now)
  const { input_data, input_hash, output_data, output_hash, output_type } = payload.io
  return {
    ...ids,
    state: payload.execution_state ?? "completed",
    duration: payload.duration_ms ?? 0,
    verdict: payload.verdict ?? review?.verdict ?? null,
    text: {
      codeBlock: payload.code_block_id,
      task: keptTask(payload.triggering_task),
      agent,
      review,
      input: input_data ?? {},
      inputHash: input_hash ?? "",
      output: output_data ?? null,
      outputHash: output_hash ?? "",
      outputType: output_type ?? "",
      errorMessage: payload.error_message ?? null,
      errorType: payload.error_type ?? null
    }
  }
}

/** An agent's verdict as its vote on the snippet, given from a home; `null`: there is no verdict yet. */
export const voteOf = (verdict: AgentVerdict | null, home: string): NewVote | null => {
  if (verdict === null || verdict === "pending") return null
  return { value: verdict === "thumbs_up" ? 1 : -1, count: 1, source: "ai", origin: null, home }
}

/** The error that a run ended with, for the reputation of the snippet's functions; empty: there was none. */
export const errorsOf = ({ state, text: { errorType, errorMessage } }: NewExecution) =>
  state === "completed" && errorType === null && errorMessage === null
    ? []
    : [{ type: errorType ?? "Error", message: errorMessage ?? "", functions: [] }]

/** What the reviewer is told of a run: what the request says of it, otherwise what was recorded. */
export const reviewedFrom = (payload: typeof ReviewRequest.Type, execution: Executed): Reviewed => ({
  task: payload.triggering_task ?? execution.task,
  state: payload.execution_state ?? execution.state,
  input: payload.input_data ?? execution.input,
  output: payload.output_data ?? execution.output,
  error: payload.error_message ?? execution.error_message,
  name: payload.code_block_name ?? execution.code,
  description: payload.code_block_description ?? ""
})
