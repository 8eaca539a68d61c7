import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import type { Transport } from "../transport.ts"
import type { JsonObject } from "./codeBlocks.ts"

/** Code for a task, with what it took and gave when it last ran. */
export interface FewShotExample {
  /** What the code was run or uploaded for. */
  readonly task: string
  /** `{}` of code that never ran. */
  readonly inputSample: JsonObject
  /** `null` of code that never ran. */
  readonly outputSample: unknown
  /** All of its code. */
  readonly codeSnippet: string
}

interface ExampleWire {
  readonly task: string
  readonly input_sample: JsonObject
  readonly output_sample: unknown
  readonly code_snippet: string
}

/** What `patterns.examples` gives. */
export interface FewShotExamples extends Result {
  /** The best first. */
  readonly examples: ReadonlyArray<FewShotExample>
  /** What was stored last may be missing: it is found by the same call a moment later. */
  readonly stale: boolean
}

export const fewShotExamples = (task: string, k?: number): Call<FewShotExamples> => ({
  method: "POST",
  path: "/api/retrieve/few-shot-examples",
  body: { task, k },
  answer: json((wire: { examples: ReadonlyArray<ExampleWire>; stale?: boolean }) => ({
    examples: wire.examples.map((example) => ({
      task: example.task,
      inputSample: example.input_sample,
      outputSample: example.output_sample,
      codeSnippet: example.code_snippet
    })),
    stale: wire.stale ?? false
  }))
})

/** Which snippet helped with which task. Times are ISO 8601. */
export interface TaskPattern {
  /** The task, in plain words. */
  readonly taskPattern: string
  /** The snippet's id. */
  readonly codeBlockId: string
  /** The snippet's name. */
  readonly codeBlockName: string
  /** Votes for the snippet, of such tasks. */
  readonly thumbsUp: number
  /** Votes against the snippet, of such tasks. */
  readonly thumbsDown: number
  /** `null` when nobody voted for it. */
  readonly lastThumbsUp: string | null
  /** `null` when nobody voted against it. */
  readonly lastThumbsDown: string | null
  /** 0 to 1: what its votes say. */
  readonly verdictScore: number
  /** 0 to 1: the share of the snippet's uploads and runs that went well. */
  readonly errorResilience: number
}

/** Which patterns `patterns.list` gives. */
export interface GetTaskPatternsParams {
  /** Patterns of similar tasks, the most alike first. */
  readonly task?: string | undefined
  /** Only those of this snippet: its id or name. */
  readonly codeBlockId?: string | undefined
  /** Only those that so many votes speak for. Default: 0. */
  readonly minThumbsUp?: number | undefined
  /** The most patterns, 1 to 100. Default: 20. */
  readonly topK?: number | undefined
  /** The `nextCursor` of an answer to the same request, to go on behind it. */
  readonly cursor?: string | undefined
}

interface PatternWire {
  readonly task_pattern: string
  readonly code_block_id: string
  readonly code_block_name: string
  readonly thumbs_up: number
  readonly thumbs_down: number
  readonly last_thumbs_up: string | null
  readonly last_thumbs_down: string | null
  readonly verdict_score: number
  readonly error_resilience?: number
}

/** What `patterns.list` gives. */
export interface TaskPatterns extends Result {
  /** The best verdict first; with a task, the most alike before that. */
  readonly patterns: ReadonlyArray<TaskPattern>
  /** For `cursor`; `null` at the end, and of a service that has none. */
  readonly nextCursor: string | null
}

interface PatternsWire {
  readonly patterns: ReadonlyArray<PatternWire>
  readonly next_cursor?: string | null
}

export const taskPatterns = (params: GetTaskPatternsParams): Call<TaskPatterns> => ({
  method: "POST",
  path: "/api/retrieve/task-patterns",
  body: {
    task: params.task,
    code_block_id: params.codeBlockId,
    min_thumbs_up: params.minThumbsUp,
    top_k: params.topK,
    cursor: params.cursor
  },
  answer: json((wire: PatternsWire) => ({
    patterns: wire.patterns.map((pattern) => ({
      taskPattern: pattern.task_pattern,
      codeBlockId: pattern.code_block_id,
      codeBlockName: pattern.code_block_name,
      thumbsUp: pattern.thumbs_up,
      thumbsDown: pattern.thumbs_down,
      lastThumbsUp: pattern.last_thumbs_up,
      lastThumbsDown: pattern.last_thumbs_down,
      verdictScore: pattern.verdict_score,
      errorResilience: pattern.error_resilience ?? 1
    })),
    nextCursor: wire.next_cursor ?? null
  }))
})

/** What the store has learned. */
export class Patterns {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Which snippet helped with which task. */
  list(params: GetTaskPatternsParams = {}, options?: RequestOptions): APIPromise<TaskPatterns> {
    return this.#transport.send(() => taskPatterns(params), options)
  }

  /**
   * Examples for a model that is to write code: snippets that fit a task, with what they took and gave when they last
   * ran.
   * @param examples `k`: the most examples, 1 to 100, default 3.
   */
  examples(
    task: string,
    examples: { readonly k?: number | undefined } = {},
    options?: RequestOptions
  ): APIPromise<FewShotExamples> {
    return this.#transport.send(() => fewShotExamples(task, examples.k), options)
  }
}
