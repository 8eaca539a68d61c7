import { afterAll, assert, beforeAll } from "vitest"
import { calls, type MessagesApi, type MessagesRequest, type Reply, says, startMessagesApi } from "#test/MessagesApi.ts"
import type { Call } from "#test/service/call.ts"
import { type Answer, type Service, startService } from "#test/service.ts"

export const chatting = "/api/agent-chat"

/** What the model does at each turn, by the prompt of the run; it says `Done.` where nothing is set. */
export const scripts = new Map<string, (turn: number, request: MessagesRequest) => Reply | PromiseLike<Reply>>()

export let api: MessagesApi
/** With the stand-in of the Messages API as its model. */
export let service: Service

/** What the environment of another service with this model says. */
export const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })

/** For the tests of the file that calls this. */
export const startsAgent = (): void => {
  beforeAll(async () => {
    api = await startMessagesApi(
      (request) => scripts.get(promptOf(request))?.(turnOf(request), request) ?? says("Done.")
    )
    service = await startService(environment())
  })
  afterAll(async () => {
    await service.close()
    await api.close()
    // files share a process, and with it this map: one may have put a look-up of its own in the place of the map's
    Reflect.deleteProperty(scripts, "get")
    scripts.clear()
  })
}

export const promptOf = ({ body }: MessagesRequest): string => String(body.messages[0]!.content)
export const turnOf = ({ body }: MessagesRequest): number => (body.messages.length + 1) / 2
export const write = (path: string, content = "x\n") => calls({ name: "Write", input: { file_path: path, content } })

/** Requests that a prompt's run sent to the model. */
export const asked = (prompt: string) => api.requests.filter((request) => promptOf(request) === prompt)

export const chat = (call: Call, user_query: string, user_id: string, more: object = {}): Promise<Answer> =>
  call("POST", chatting, { user_query, user_id, org_id: "acme", ...more })

/** The answer of a chat that came to its end, well or not. */
export const ended = async (...given: Parameters<typeof chat>) => {
  const { status, json, text } = await chat(...given)
  assert.strictEqual(status, 200, text)
  for (const [field, value] of Object.entries(json)) assert.isNotNull(value, field)
  return json
}

export const commitsOf = async (id: string, call = service.call) => {
  const { json } = await call("GET", `/api/workspaces/${id}/commits?limit=1000`)
  return json.commits as ReadonlyArray<{
    readonly sha: string
    readonly parents: ReadonlyArray<string>
    readonly session_id: string
    readonly changes: ReadonlyArray<{ readonly path: string }>
  }>
}
