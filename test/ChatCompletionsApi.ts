import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { parseJson } from "#engine/parseJson.ts"
import { complaint } from "./ChatCompletionsApi/validate.ts"

type Json = { readonly [key: string]: unknown }

interface Delayed {
  /** Answers only once this is settled. */
  readonly after?: PromiseLike<unknown>
}

/** When it wants to be asked again: in so many milliseconds, or as `Retry-After` has it, in seconds or at a time. */
interface Pause {
  readonly pause?: number
  readonly retryAfter?: string
}

/** What the model says; `reason` is `tool_calls` where it calls, else `stop`, unless told. */
export interface Says extends Delayed {
  readonly content?: string
  readonly refusal?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly arguments: string; readonly id?: string }>
  readonly reason?: string
  readonly usage?: Json
}

export type Reply =
  | Says
  /** An error in the API's shape. */
  | ({ readonly status: number; readonly message?: string; readonly code?: string } & Pause & Delayed)
  /** The connection ends before anything is answered, or in the middle of the answer. */
  | ({ readonly cut: "before" | "middle" } & Delayed)
  /** It begins an answer and says nothing more. */
  | ({ readonly stalls: true } & Delayed)
  /** It begins an answer, and then sends a sign of life again and again, until the client leaves. */
  | ({ readonly drips: true } & Delayed)
  /** Events of a server that is none of the API, as they are. */
  | ({ readonly events: ReadonlyArray<string> } & Delayed)

export interface ChatRequest {
  // biome-ignore lint/suspicious/noExplicitAny: a body is looked at field by field, and its shape is what a test is about
  readonly body: any
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  /** Settles when the answer is sent, or the client has left. */
  readonly ended: Promise<void>
}

export type Script = ReadonlyArray<Reply> | ((request: ChatRequest, n: number) => Reply)

export interface ChatCompletionsApi {
  /** For `OPENAI_BASE_URL`. */
  readonly url: string
  readonly key: string
  /** Oldest first. */
  readonly requests: ReadonlyArray<ChatRequest>
  /** Settles once a request has arrived. */
  readonly arrived: () => Promise<void>
  readonly close: () => Promise<void>
}

const chunk = (n: number, model: unknown, rest: Json) =>
  `data: ${JSON.stringify({ id: `chatcmpl-${n}`, object: "chat.completion.chunk", created: 1, model, ...rest })}\n\n`

const reasonOf = ({ reason, calls }: Says) => reason ?? (calls === undefined ? "stop" : "tool_calls")
const usageOf = ({ usage }: Says) =>
  usage ?? { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 4 } }

/** Pieces of a text, as models send them; of a long one larger ones, so that they are no more than some hundred. */
const pieces = (text: string) => {
  const size = Math.max(7, Math.ceil(text.length / 400))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}

const idOf = (messages: number, index: number) => `call_${messages}_${index}`

const streamed = (says: Says, n: number, { model, messages }: Json): ReadonlyArray<string> => {
  const one = (delta: Json, finish: string | null = null) =>
    chunk(n, model, { choices: [{ index: 0, delta, finish_reason: finish }], usage: null })
  const called = (says.calls ?? []).flatMap(({ name, arguments: text, id }, index) => [
    one({
      tool_calls: [
        {
          index,
          id: id ?? idOf((messages as ReadonlyArray<unknown>).length, index),
          type: "function",
          function: { name, arguments: "" }
        }
      ]
    }),
    ...pieces(text).map((piece) => one({ tool_calls: [{ index, function: { arguments: piece } }] }))
  ])
  return [
    one({ role: "assistant", content: "" }),
    ...pieces(says.content ?? "").map((content) => one({ content })),
    ...pieces(says.refusal ?? "").map((refusal) => one({ refusal })),
    ...called,
    one({}, reasonOf(says)),
    chunk(n, model, { choices: [], usage: usageOf(says) }),
    "data: [DONE]\n\n"
  ]
}

const whole = (says: Says, n: number, { model, messages }: Json): Json => ({
  id: `chatcmpl-${n}`,
  object: "chat.completion",
  created: 1,
  model,
  choices: [
    {
      index: 0,
      finish_reason: reasonOf(says),
      message: {
        role: "assistant",
        content: says.content ?? null,
        refusal: says.refusal ?? null,
        ...(says.calls === undefined
          ? undefined
          : {
              tool_calls: says.calls.map(({ name, arguments: text, id }, index) => ({
                id: id ?? idOf((messages as ReadonlyArray<unknown>).length, index),
                type: "function",
                function: { name, arguments: text }
              }))
            })
      }
    }
  ],
  usage: usageOf(says)
})

/**
 * A strict stand-in of the Chat Completions API on a free port of the loopback: refuses what the API would refuse by
 * its published schema, in its error shape, and answers the rest from a script, streamed or whole. It shows that the
 * adapter does what we think.
 */
export const startChatCompletionsApi = async (script: Script): Promise<ChatCompletionsApi> => {
  const key = "sk-stand-in"
  const requests: Array<ChatRequest> = []
  const waiting: Array<() => void> = []
  let valid = 0

  const refuse = (
    response: ServerResponse,
    status: number,
    message: string,
    code: string | null = null,
    { pause = 1, retryAfter }: Pause = {}
  ) => {
    const again = retryAfter === undefined ? { "retry-after-ms": String(pause) } : { "retry-after": retryAfter }
    response.writeHead(status, { "content-type": "application/json", ...again })
    response.end(JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } }))
  }

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { authorization, ...headers } = incoming.headers
    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions") {
      return refuse(response, 404, `Unknown request URL: ${incoming.method} ${incoming.url}`)
    }
    if (authorization !== `Bearer ${key}`) return refuse(response, 401, "Incorrect API key provided", "invalid_api_key")
    const body = parseJson(Buffer.concat(chunks).toString("utf8")) as Json
    const ended = new Promise<void>((resolve) => response.once("close", () => resolve()))
    const request = { body, headers, ended }
    requests.push(request)
    for (const wake of waiting.splice(0)) wake()
    const wrong = complaint(body)
    if (wrong !== undefined) return refuse(response, 400, wrong)
    const n = valid++
    const reply = typeof script === "function" ? script(request, n) : script[n]
    if (reply === undefined) return refuse(response, 400, `the script has no reply ${n}`)
    await reply.after
    if (response.destroyed) return
    if ("status" in reply)
      return refuse(response, reply.status, reply.message ?? `status ${reply.status}`, reply.code, reply)
    if ("cut" in reply && reply.cut === "before") return void response.destroy()
    if (body["stream"] !== true) {
      response.writeHead(200, { "content-type": "application/json" })
      if ("drips" in reply) return drip(response, " ")
      return void response.end(JSON.stringify(whole(reply as Says, n, body)))
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    if ("drips" in reply) return drip(response, ": still here\n\n")
    if ("events" in reply) return void response.end(reply.events.join(""))
    const half = "cut" in reply || "stalls" in reply
    const events = streamed(half ? { content: "this answer never ends" } : (reply as Says), n, body)
    if ("stalls" in reply) return void response.write(events[0])
    if ("cut" in reply) return void response.write(events[0] ?? "", () => response.destroy())
    response.end(events.join(""))
  }

  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    key,
    requests,
    arrived: () => new Promise((resolve) => (requests.length > 0 ? resolve() : void waiting.push(resolve))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const drip = (response: ServerResponse, ping: string) => {
  const pinging = setInterval(() => response.write(ping), 5)
  response.once("close", () => clearInterval(pinging))
}

/** The same, closed with the scope. */
export const chatCompletionsApi = (script: Script) =>
  Effect.acquireRelease(
    Effect.promise(() => startChatCompletionsApi(script)),
    (api) => Effect.promise(() => api.close())
  )
