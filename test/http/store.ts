import { assert } from "vitest"
import type { Call, Headers } from "#test/service/call.ts"
import type { Answer } from "#test/service.ts"

export interface Match {
  readonly score: number
  readonly combined_score: number
  readonly vector_score: number
  readonly verdict_score: number
  readonly error_resilience: number
  readonly thumbs_up: number
  readonly thumbs_down: number
  readonly filename: string
  readonly agent_id: string | null
  readonly code_block: {
    readonly id: string
    readonly name: string
    readonly source: string
    readonly language: string
    readonly entrypoint: string
    readonly description: string
    readonly dependencies: { readonly [name: string]: string }
    readonly example_queries: ReadonlyArray<string>
    readonly created_at: string
    readonly updated_at: string
  }
}

/** A python function whose source nobody else uploads. */
export const source = (name: string): string => `def ${name}(value):\n    """Does ${name}."""\n    return value\n`

/** Stores a file; its path and source are named after `name` unless told. */
export const upload = (call: Call, name: string, more: object = {}, headers: Headers = {}): Promise<Answer> =>
  call(
    "POST",
    "/api/store/execution-result",
    { task: `${name} task`, file_written: { path: `${name}.py`, content: source(name) }, succeeded: true, ...more },
    headers
  )

export const stored = async (...given: Parameters<typeof upload>): Promise<Answer["json"]> => {
  const { status, json, text } = await upload(...given)
  assert.deepStrictEqual([status, json?.success], [200, true], text)
  return json
}

/** Matches for a task, best first. */
export const matches = async (call: Call, task: string, more: object = {}, headers: Headers = {}) => {
  const { status, json, text } = await call("POST", "/api/retrieve/search", { task, ...more }, headers)
  assert.strictEqual(status, 200, text)
  return json.matches as ReadonlyArray<Match>
}

/** The stored snippet with a name, as a search finds it. */
export const findByName = async (call: Call, name: string, headers: Headers = {}): Promise<Match | undefined> =>
  (await matches(call, `${name} task`, { top_k: 100, min_verdict_score: 0 }, headers)).find(
    ({ code_block }) => code_block.name === name
  )

export const vote = (call: Call, id: string, succeeded = true, more: object = {}, headers: Headers = {}) =>
  call("POST", "/api/store/cache-usage", { task: "t", code_block_id: id, succeeded, ...more }, headers)

export const remove = (call: Call, idOrName: string, more: object = {}, headers: Headers = {}) =>
  call("POST", "/api/snippets/delete", { snippet_id: idOrName, ...more }, headers)
