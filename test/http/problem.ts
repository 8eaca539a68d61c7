import { assert } from "vitest"
import type { Answer } from "#test/service.ts"

const fields = ["detail", "message", "code", "error", "field", "errors", "request_id"]

/** That the answer is a refusal in the one error body; gives that body. */
export const refused = ({ status, json, headers, text }: Answer, expected: number, code: string) => {
  assert.deepStrictEqual([status, json?.code], [expected, code], text)
  assert.sameMembers(Object.keys(json), fields)
  assert.strictEqual(json.detail, json.message)
  assert.strictEqual(json.code, json.error)
  assert.isAbove(json.message.length, 20)
  assert.strictEqual(json.field, json.errors[0]?.field ?? null)
  assert.strictEqual(json.request_id, headers.get("x-request-id"))
  assert.match(json.request_id, /^[0-9a-f-]{36}$/)
  assert.match(headers.get("content-type") ?? "", /^application\/json/)
  return json as {
    readonly message: string
    readonly field: string | null
    readonly errors: Array<{ field: string; message: string }>
  }
}
