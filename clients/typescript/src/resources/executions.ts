import type { APIPromise } from "../APIPromise.ts"
import type { AgentVerdict, ExecutionState } from "../enumerations.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import type { Transport } from "../transport.ts"
import type { JsonObject } from "./codeBlocks.ts"
import {
  type AgentReview,
  type AutoReviewParams,
  type AutoReviewResponse,
  autoReview,
  type ReviewWire,
  reviewOf,
  sentReview
} from "./reviews.ts"

/** A run of code that is to be recorded. */
export interface StoreExecutionParams {
  /** A snippet's id or name, or `function_registry:<name>`. */
  readonly codeBlockId: string
  /** What it was run for. */
  readonly triggeringTask: string
  /** What it took: JSON. With `outputData` at most 1 MiB. */
  readonly inputData: unknown
  /** What it gave: JSON. */
  readonly outputData: unknown
  /** How it ended. Default: `completed`. */
  readonly executionState?: ExecutionState | undefined
  /** Milliseconds. Default: 0. */
  readonly durationMs?: number | undefined
  /** What went wrong. */
  readonly errorMessage?: string | undefined
  /** The kind of error, such as `TypeError`; at most 1,000 characters. */
  readonly errorType?: string | undefined
  /** Counts as a vote on a stored snippet. */
  readonly verdict?: AgentVerdict | undefined
  /** What was thought of it, at length. */
  readonly review?: AgentReview | undefined
}

/** What `executions.record` gives. */
export interface StoreExecutionResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** For `executions.review`. */
  readonly executionId: string
  /** Whether its verdict counted as a vote on a stored snippet. */
  readonly patternUpdated: boolean
  /** For a person. */
  readonly message: string
}

interface StoredWire {
  readonly success: boolean
  readonly execution_id: string
  readonly pattern_updated: boolean
  readonly message: string
}

/** The type of a value in JSON's words. */
const jsonType = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

export const storeExecution = (params: StoreExecutionParams): Call<StoreExecutionResponse> => ({
  method: "POST",
  path: "/api/store/execution",
  body: {
    code_block_id: params.codeBlockId,
    triggering_task: params.triggeringTask,
    io: {
      input_data: params.inputData,
      output_data: params.outputData,
      output_type: jsonType(params.outputData)
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
  /** What the run took. */
  readonly inputData: JsonObject
  /** As it was recorded; `""` of what this library records. */
  readonly inputHash: string
  /** What the run gave: any JSON. */
  readonly outputData: unknown
  /** As it was recorded; `""` of what this library records. */
  readonly outputHash: string
  /** Such as `object`, `array` or `string`. */
  readonly outputType: string
}

/** A recorded run. */
export interface ExecutionRecord {
  /** A UUID. */
  readonly id: string
  /** The snippet that ran: its id, or the name that it was recorded by. */
  readonly codeBlockId: string
  /** ISO 8601. */
  readonly timestamp: string
  /** How it ended. */
  readonly executionState: ExecutionState
  /** Milliseconds. */
  readonly durationMs: number
  /** What went wrong. */
  readonly errorMessage: string | null
  /** The kind of error, such as `TypeError`. */
  readonly errorType: string | null
  /** What it took and gave. */
  readonly io: ExecutionIO
  /** What it was run for. */
  readonly triggeringTask: string
  /** 0 to 1: how like its task is to the one that was asked for; 0 when none was. */
  readonly retrievalScore: number
  /** What was thought of it. */
  readonly verdict: AgentVerdict
  /** The same at length; `null` when nobody said. */
  readonly review: AgentReview | null
}

/** Which runs `executions.list` gives. */
export interface GetExecutionsParams {
  /** Only those of this snippet: its id or name, or `function_registry:<name>`. */
  readonly codeBlockId?: string | null | undefined
  /** Runs of similar tasks, the most alike first. */
  readonly task?: string | null | undefined
  /** Only those with this verdict. */
  readonly verdict?: AgentVerdict | null | undefined
  /** The most runs, 1 to 100. Default: 20. */
  readonly limit?: number | undefined
}

/** What `executions.list` gives. */
export interface RetrieveExecutionsResponse extends Result {
  /** Newest first, unless a task was given. */
  readonly executions: ReadonlyArray<ExecutionRecord>
  /** How many there are without `limit`. */
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

/** Runs of code, and what was said of them. */
export class Executions {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Records a run of a snippet, or of any named code.
   * @throws {@link NotFoundError}: `not_found/snippet`: `codeBlockId` is the id of no snippet. A name that nothing
   *   stored has is recorded as it is.
   */
  record(params: StoreExecutionParams, options?: RequestOptions): APIPromise<StoreExecutionResponse> {
    return this.#transport.send(() => storeExecution(params), options)
  }

  /** Recorded runs, by snippet, task or verdict. */
  list(params: GetExecutionsParams = {}, options?: RequestOptions): APIPromise<RetrieveExecutionsResponse> {
    return this.#transport.send(() => executions(params), options)
  }

  /**
   * Lets the service's model review a recorded run, once: the same review is answered again.
   * Where no model can be asked it has `success: false`, and the verdict `pending`.
   * @throws {@link NotFoundError}: `not_found/execution`.
   */
  review(params: AutoReviewParams, options?: RequestOptions): APIPromise<AutoReviewResponse> {
    return this.#transport.send(() => autoReview(params), options)
  }
}
