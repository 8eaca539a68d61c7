/** What is known of one function, from all snippets that hold it. Times are ISO 8601. */
export interface FunctionReputation {
  /** `fn_…`: the same when the function is reformatted. */
  readonly fingerprint: string
  readonly functionName: string
  readonly signature: string
  /** Runs of snippets that hold it. */
  readonly executionCount: number
  readonly thumbsUp: number
  readonly thumbsDown: number
  readonly lastSuccessAt: string | null
  readonly lastFailureAt: string | null
  /** At most five, the most frequent first. */
  readonly commonErrors: ReadonlyArray<string>
  /** Of what its logged calls returned; 0 when none was logged. */
  readonly avgOutputSize: number
  /** 0 to 1: logged calls that returned something. */
  readonly outputCompleteness: number
  /** 0 to 1: logged calls beyond the first of a run. */
  readonly repeatCallRate: number
  readonly totalLoggedCalls: number
  readonly authorAgent: string | null
  readonly reviewedByHuman: boolean
  /** The fingerprint that bore its name before. */
  readonly derivedFrom: string | null
}

export interface FunctionWire {
  readonly fingerprint: string
  readonly function_name: string
  readonly signature: string
  readonly execution_count: number
  readonly thumbs_up: number
  readonly thumbs_down: number
  readonly last_success_at: string | null
  readonly last_failure_at: string | null
  readonly common_errors: ReadonlyArray<string>
  readonly avg_output_size: number
  readonly output_completeness: number
  readonly repeat_call_rate: number
  readonly total_logged_calls: number
  readonly author_agent: string | null
  readonly reviewed_by_human: boolean
  readonly derived_from: string | null
}

export const functionOf = (wire: FunctionWire): FunctionReputation => ({
  fingerprint: wire.fingerprint,
  functionName: wire.function_name,
  signature: wire.signature,
  executionCount: wire.execution_count,
  thumbsUp: wire.thumbs_up,
  thumbsDown: wire.thumbs_down,
  lastSuccessAt: wire.last_success_at,
  lastFailureAt: wire.last_failure_at,
  commonErrors: wire.common_errors,
  avgOutputSize: wire.avg_output_size,
  outputCompleteness: wire.output_completeness,
  repeatCallRate: wire.repeat_call_rate,
  totalLoggedCalls: wire.total_logged_calls,
  authorAgent: wire.author_agent,
  reviewedByHuman: wire.reviewed_by_human,
  derivedFrom: wire.derived_from
})
