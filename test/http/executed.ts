import type { Call, Headers } from "#test/service/call.ts"
import { fine } from "./routes.ts"
import { findByName, stored } from "./store.ts"

export const recording = "/api/store/execution"

/** The body that records a run. */
export const runOf = (codeBlock: string, more: object = {}) => ({
  code_block_id: codeBlock,
  triggering_task: "read rows of a ledger",
  execution_state: "completed",
  io: { input_data: { path: "a.csv" }, input_hash: "", output_data: [1, null], output_hash: "" },
  duration_ms: 12,
  error_message: null,
  error_type: null,
  verdict: null,
  review: null,
  ...more
})

/** Records a run. */
export const recorded = async (by: Call, codeBlock: string, more: object = {}, headers: Headers = {}) =>
  fine(await by("POST", recording, runOf(codeBlock, more), headers))

/** Runs that a caller finds. */
export const foundRuns = async (by: Call, query: object, headers: Headers = {}) =>
  fine(await by("POST", "/api/retrieve/executions", query, headers))

/** Stores a snippet; its id. */
export const newSnippet = async (by: Call, name: string, more: object = {}): Promise<string> => {
  await stored(by, name, more)
  return (await findByName(by, name))!.code_block.id
}
