import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import { part, text } from "../request.ts"
import type { Transport } from "../transport.ts"

/** What is known of one function, from all snippets that hold it. Times are ISO 8601. */
export interface FunctionReputation {
  /** `fn_…`: the same when the function is reformatted. */
  readonly fingerprint: string
  /** As the code has it. */
  readonly functionName: string
  /** As the language writes it. */
  readonly signature: string
  /** Runs of snippets that hold it. */
  readonly executionCount: number
  /** Votes for it, through the snippets that hold it. */
  readonly thumbsUp: number
  /** Votes against it, through the snippets that hold it. */
  readonly thumbsDown: number
  /** `null` when no run went well. */
  readonly lastSuccessAt: string | null
  /** `null` when no run failed. */
  readonly lastFailureAt: string | null
  /** At most five, the most frequent first. */
  readonly commonErrors: ReadonlyArray<string>
  /** Of what its logged calls returned; 0 when none was logged. */
  readonly avgOutputSize: number
  /** 0 to 1: logged calls that returned something. */
  readonly outputCompleteness: number
  /** 0 to 1: logged calls beyond the first of a run. */
  readonly repeatCallRate: number
  /** How many calls were logged. */
  readonly totalLoggedCalls: number
  /** The agent that uploaded it. */
  readonly authorAgent: string | null
  /** Whether a person voted on it. */
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

/** What is known of single functions. */
export class Functions {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * A function's history, as Markdown: its signature, votes, calls and errors, the snippets of the scope that hold it,
   * their latest runs, and what it was derived from.
   * @param fingerprint `fn_…`, as a search with `perFunctionReputation` gives it.
   * @throws {@link NotFoundError}: `not_found/function`: no snippet of the scope holds it.
   */
  history(fingerprint: string, options?: RequestOptions): APIPromise<string> {
    const path = () => `/api/functions/${part("fingerprint", fingerprint)}`
    return this.#transport.send(() => ({ method: "GET", path: path(), answer: text }), options)
  }
}
