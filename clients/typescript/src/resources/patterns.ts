import { type Call, json } from "../request.ts"
import type { JsonObject } from "./codeBlocks.ts"

/** Code for a task, with what it took and gave when it last ran. */
export interface FewShotExample {
  readonly task: string
  /** `{}` of code that never ran. */
  readonly inputSample: JsonObject
  /** `null` of code that never ran. */
  readonly outputSample: unknown
  readonly codeSnippet: string
}

interface ExampleWire {
  readonly task: string
  readonly input_sample: JsonObject
  readonly output_sample: unknown
  readonly code_snippet: string
}

export const fewShotExamples = (task: string, k: number): Call<ReadonlyArray<FewShotExample>> => ({
  method: "POST",
  path: "/api/retrieve/few-shot-examples",
  body: { task, k },
  answer: json((wire: { examples: ReadonlyArray<ExampleWire> }) =>
    wire.examples.map((example) => ({
      task: example.task,
      inputSample: example.input_sample,
      outputSample: example.output_sample,
      codeSnippet: example.code_snippet
    }))
  )
})

/** Which snippet helped with which task. Times are ISO 8601. */
export interface TaskPattern {
  readonly taskPattern: string
  readonly codeBlockId: string
  readonly codeBlockName: string
  readonly thumbsUp: number
  readonly thumbsDown: number
  readonly lastThumbsUp: string | null
  readonly lastThumbsDown: string | null
  /** 0 to 1. */
  readonly verdictScore: number
}

export interface GetTaskPatternsParams {
  readonly task?: string | undefined
  readonly codeBlockId?: string | undefined
  /** Default: 0. */
  readonly minThumbsUp?: number | undefined
  /** 1 to 100. Default: 20. */
  readonly topK?: number | undefined
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
}

export const taskPatterns = (params: GetTaskPatternsParams): Call<ReadonlyArray<TaskPattern>> => ({
  method: "POST",
  path: "/api/retrieve/task-patterns",
  body: {
    task: params.task,
    code_block_id: params.codeBlockId,
    min_thumbs_up: params.minThumbsUp,
    top_k: params.topK
  },
  answer: json((wire: { patterns: ReadonlyArray<PatternWire> }) =>
    wire.patterns.map((pattern) => ({
      taskPattern: pattern.task_pattern,
      codeBlockId: pattern.code_block_id,
      codeBlockName: pattern.code_block_name,
      thumbsUp: pattern.thumbs_up,
      thumbsDown: pattern.thumbs_down,
      lastThumbsUp: pattern.last_thumbs_up,
      lastThumbsDown: pattern.last_thumbs_down,
      verdictScore: pattern.verdict_score
    }))
  )
})
