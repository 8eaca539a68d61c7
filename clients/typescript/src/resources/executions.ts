import type { AgentVerdict, ExecutionState } from "../enumerations.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import type { JsonObject } from "./codeBlocks.ts"
import { type AgentReview, type ReviewWire, reviewOf, sentReview } from "./reviews.ts"

/** A run of code that is to be recorded. */
export interface StoreExecutionParams {
  /** A snippet's id or name, or `function_registry:<name>`. */
  readonly codeBlockId: string
  readonly triggeringTask: string
  /** JSON. With `outputData` at most 1 MiB. */
  readonly inputData: unknown
  readonly outputData: unknown
  /** Default: `completed`. */
  readonly executionState?: ExecutionState | undefined
  /** Default: 0. */
  readonly durationMs?: number | undefined
  readonly errorMessage?: string | undefined
  readonly errorType?: string | undefined
  /** Counts as a vote on a stored snippet. */
  readonly verdict?: AgentVerdict | undefined
  readonly review?: AgentReview | undefined
}

export interface StoreExecutionResponse extends Result {
  readonly success: boolean
  readonly executionId: string
  readonly patternUpdated: boolean
  readonly message: string
}

interface StoredWire {
  readonly success: boolean
  readonly execution_id: string
  readonly pattern_updated: boolean
  readonly message: string
}

export const storeExecution = (params: StoreExecutionParams): Call<StoreExecutionResponse> => ({
  method: "POST",
  path: "/api/store/execution",
  body: {
    code_block_id: params.codeBlockId,
    triggering_task: params.triggeringTask,
    io: {
      input_data: params.inputData,
      output_data: params.outputData,
      output_type: Array.isArray(params.outputData) ? "array" : typeof params.outputData
    },
    execution_state: params.executionState,
    duration_ms: params.durationMs,
    error_message: params.errorMessage,
    error_type: params.errorType,
    verdict: params.verdict,
    review: params.review && sentReview(params.review)
  },
  answer: json((wire: StoredWire) => ({
    success: wire.success,
    executionId: wire.execution_id,
    patternUpdated: wire.pattern_updated,
    message: wire.message
  }))
})

/** What a run took and gave. */
export interface ExecutionIO {
  readonly inputData: JsonObject
  readonly inputHash: string
  readonly outputData: unknown
  readonly outputHash: string
  readonly outputType: string
}

/** A recorded run. */
export interface ExecutionRecord {
  readonly id: string
  readonly codeBlockId: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly executionState: ExecutionState
  readonly durationMs: number
  readonly errorMessage: string | null
  readonly errorType: string | null
  readonly io: ExecutionIO
  readonly triggeringTask: string
  readonly retrievalScore: number
  readonly verdict: AgentVerdict
  readonly review: AgentReview | null
}

export interface GetExecutionsParams {
  readonly codeBlockId?: string | null | undefined
  /** Runs of similar tasks, the most alike first. */
  readonly task?: string | null | undefined
  readonly verdict?: AgentVerdict | null | undefined
  /** 1 to 100. Default: 20. */
  readonly limit?: number | undefined
}

export interface RetrieveExecutionsResponse extends Result {
  /** Newest first, unless a task was given. */
  readonly executions: ReadonlyArray<ExecutionRecord>
  readonly totalFound: number
}

interface RecordWire {
  readonly id: string
  readonly code_block_id: string
  readonly timestamp: string
  readonly execution_state: ExecutionState
  readonly duration_ms: number
  readonly error_message: string | null
  readonly error_type: string | null
  readonly io: {
    readonly input_data: JsonObject
    readonly input_hash: string
    readonly output_data: unknown
    readonly output_hash: string
    readonly output_type: string
  }
  readonly triggering_task: string
  readonly retrieval_score: number
  readonly verdict: AgentVerdict
  readonly review: ReviewWire | null
}

const recordOf = (wire: RecordWire): ExecutionRecord => ({
  id: wire.id,
  codeBlockId: wire.code_block_id,
  timestamp: wire.timestamp,
  executionState: wire.execution_state,
  durationMs: wire.duration_ms,
  errorMessage: wire.error_message,
  errorType: wire.error_type,
  io: {
    inputData: wire.io.input_data,
    inputHash: wire.io.input_hash,
    outputData: wire.io.output_data,
    outputHash: wire.io.output_hash,
    outputType: wire.io.output_type
  },
  triggeringTask: wire.triggering_task,
  retrievalScore: wire.retrieval_score,
  verdict: wire.verdict,
  review: wire.review && reviewOf(wire.review)
})

export const executions = (params: GetExecutionsParams): Call<RetrieveExecutionsResponse> => ({
  method: "POST",
  path: "/api/retrieve/executions",
  body: {
    code_block_id: params.codeBlockId ?? undefined,
    task: params.task ?? undefined,
    verdict: params.verdict ?? undefined,
    limit: params.limit
  },
  answer: json((wire: { executions: ReadonlyArray<RecordWire>; total_found: number }) => ({
    executions: wire.executions.map(recordOf),
    totalFound: wire.total_found
  }))
})
