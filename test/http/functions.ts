import { assert } from "vitest"
import type { Call, Headers } from "#test/service/call.ts"
import { matches, stored } from "./store.ts"

/** A function's reputation as a search shows it. */
export interface Known {
  readonly fingerprint: string
  readonly function_name: string
  readonly [field: string]: unknown
}

export const tracked = { per_function_reputation: true }

/** A file with a function and a method, which no other file has; nor has it the function, unless `body` is the same. */
export const table = (name: string, body = `return open(path).read() + "${name}"`) => `#!/usr/bin/env python3
"""Reads ${name}."""

def load(path):
    ${body}


class Table:
    @property
    def rows(self):
        return [self.text, "${name}"]
`
/** What the functions of a run report, as its log has it. */
export const report = (functions: {
  readonly [name: string]: readonly [calls: number, size: number, empty: number]
}) => {
  const entries = Object.entries(functions).map(([name, [call_count, avg_value_size, empty_rate]]) => [
    name,
    { call_count, avg_value_size, empty_rate, value_types: ["str"] }
  ])
  const telemetry = { raysurfer_telemetry: { version: 1, functions: Object.fromEntries(entries) } }
  return `\n--- RAYSURFER_TELEMETRY_START ---\n${JSON.stringify(telemetry)}\n--- RAYSURFER_TELEMETRY_END ---\n`
}
/** As Python writes it; the last function is where it happened. */
export const traceback = (type: string, message: string, ...functions: ReadonlyArray<string>) =>
  [
    "Traceback (most recent call last):",
    ...functions.map((name, at) => `  File "/app/table.py", line ${at + 1}, in ${name}\n    work()`),
    `${type}: ${message}\n`
  ].join("\n")

/** What one caller does with functions. */
export const functionsBy = (call: Call) => {
  const upload = (name: string, more: object = {}, content = table(name), headers: Headers = {}) =>
    stored(
      call,
      name,
      { file_written: { path: `${name}.py`, content }, use_service_ai_voting: false, ...more },
      headers
    )

  /** What a search says of the snippet that was uploaded for `<name> task`; its functions' reputation is asked for. */
  const found = async (name: string, by: Call = call, headers: Headers = {}, more: object = tracked) => {
    const all = await matches(by, `${name} task`, { top_k: 100, min_verdict_score: 0, ...more }, headers)
    const whole = new RegExp(`\\b${name}\\b`)
    const match = all.find(({ code_block }) => whole.test(code_block.source))
    assert.isDefined(match, `${name} is not found`)
    return match as typeof match & { readonly functions: ReadonlyArray<Known> }
  }
  const functionsOf = async (...given: Parameters<typeof found>) => (await found(...given)).functions
  const known = async (name: string, of: string) => (await functionsOf(name)).find((one) => one.function_name === of)!
  /** Records a run that ended with an error and no traceback. */
  const fail = async (name: string) => {
    const { json, text } = await call("POST", "/api/store/execution", {
      code_block_id: (await found(name)).code_block.id,
      triggering_task: "t",
      io: { input_data: {} },
      execution_state: "errored",
      error_type: "ValueError",
      error_message: "no file"
    })
    assert.isTrue(json?.success, text)
  }
  const page = (fingerprint: string, by: Call = call, headers: Headers = {}) =>
    by("GET", `/api/functions/${fingerprint}.md`, undefined, headers)
  return { upload, found, functionsOf, known, fail, page }
}
