import { assert } from "vitest"
import type { Answer } from "#test/service.ts"
import { source } from "./store.ts"

export const uploading = "/api/store/execution-result"
export const voting = "/api/store/cache-usage"
export const deleting = "/api/snippets/delete"
export const creating = "/api/keys/org/create"
export const revoking = "/api/keys/org/revoke"
export const chatting = "/api/agent-chat"

/** The body of an upload with a vote. */
export const uploadOf = (name: string, more: object = {}) => ({
  task: `${name} task`,
  file_written: { path: `${name}.py`, content: source(name) },
  succeeded: true,
  user_vote: 1,
  ...more
})

/** The body of an answer that says that all went well. */
export const fine = ({ status, json, text }: Answer) => {
  assert.deepStrictEqual([status, json?.success ?? true], [200, true], text)
  return json
}
