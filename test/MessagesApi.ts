import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { withoutBetas } from "./MessagesApi/agentSdk.ts"
import { serverSentEvents } from "./MessagesApi/stream.ts"
import { complaint } from "./MessagesApi/validate.ts"

export type Block = { readonly type: string } & { readonly [key: string]: unknown }

/** A request that reached the API, valid or not. Its credentials are not kept. */
export interface MessagesRequest {
  readonly body: {
    readonly model: string
    readonly max_tokens: number
    readonly system?: unknown
    readonly messages: ReadonlyArray<{
      readonly role: "user" | "assistant"
      readonly content: string | ReadonlyArray<Block>
    }>
    readonly tools?: ReadonlyArray<{ readonly name: string; readonly input_schema: unknown }>
    readonly [key: string]: unknown
  }
  readonly headers: { readonly [name: string]: string | undefined }
  /** The status that was answered; 0 when the connection was cut or the client left. */
  status: number
  /** Settles when the answer is sent, the connection was cut or the client has left. */
  readonly ended: Promise<void>
}

interface Delayed {
  /** Answers only once this is settled. */
  readonly after?: PromiseLike<unknown>
}

/** What the model says. `stopReason` is `tool_use` when a block is one, else `end_turn`, unless told. */
export interface Says extends Delayed {
  readonly content: ReadonlyArray<Block>
  readonly stopReason?: string
  /** The last word, and what follows it, is said only once this is settled. */
  readonly held?: PromiseLike<unknown>
  readonly usage?: {
    readonly input_tokens: number
    readonly output_tokens: number
    readonly cache_read_input_tokens?: number
    readonly cache_creation_input_tokens?: number
  }
}

/** An error in the API's shape. */
export interface Refuses extends Delayed {
  readonly status: number
  readonly message?: string
  /** Milliseconds after which it wants to be asked again; one unless told. */
  readonly pause?: number
  /** In its stead, as `Retry-After` has it: seconds, or a time. */
  readonly retryAfter?: string
}

/** The connection ends `before` anything is answered or in the `middle` of the answer; or it stays there (`never`). */
export interface Cuts extends Delayed {
  readonly cut: "before" | "middle" | "never"
}

/** It begins an answer, and then sends a sign of life again and again, until the client leaves. */
export interface Drips extends Delayed {
  readonly drips: true
}

/** Events of a server that is none of the API, as they are. */
export interface OddEvents extends Delayed {
  readonly events: ReadonlyArray<string>
}

/** Whatever a server that is none of the API may answer, as JSON. */
export interface Odd extends Delayed {
  readonly whole: unknown
}

export type Reply = Says | Refuses | Cuts | Drips | OddEvents | Odd

/** A list is a script: the n-th valid request gets the n-th reply, further ones a 400. `n` counts from 0. */
export type Script = ReadonlyArray<Reply> | ((request: MessagesRequest, n: number) => Reply | PromiseLike<Reply>)

export interface MessagesApi {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string
  /** The one key that it takes, as `x-api-key` or as a bearer token. */
  readonly key: string
  /** Oldest first. */
  readonly requests: ReadonlyArray<MessagesRequest>
  /** Settles once that many requests have arrived. */
  readonly arrived: (count: number) => Promise<void>
  readonly close: () => Promise<void>
}

export const says = (text: string): Says => ({ content: [{ type: "text", text }] })

/** One turn that calls tools, in this order. */
export const calls = (
  ...uses: ReadonlyArray<{ readonly name: string; readonly input: unknown; readonly id?: string }>
): Says => ({ content: uses.map((use) => ({ type: "tool_use", ...use })) })

const kinds: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error"
}

/**
 * A strict stand-in of the Messages API on a free port of the loopback: refuses what the API would refuse (unknown
 * fields, roles that don't alternate, calls without results) in its error shape, and answers the rest from a script.
 * Errors carry `retry-after-ms: 1`, so that a client that retries does so at once. `agentSdk` allows for the betas that
 * the agent SDK's program uses.
 */
export const startMessagesApi = async (
  script: Script,
  options: { readonly key?: string; readonly agentSdk?: boolean } = {}
): Promise<MessagesApi> => {
  const key = options.key ?? "sk-ant-stand-in"
  const requests: Array<MessagesRequest> = []
  const paused: Array<unknown> = []
  const waiting = new Set<() => void>()
  let valid = 0

  const refuse = (
    request: MessagesRequest,
    response: ServerResponse,
    status: number,
    message: string,
    { pause = 1, retryAfter }: { readonly pause?: number; readonly retryAfter?: string } = {}
  ) => {
    request.status = status
    const error = { type: kinds[status] ?? "api_error", message }
    response.writeHead(status, {
      "content-type": "application/json",
      "request-id": "req_stand_in",
      ...(retryAfter === undefined ? { "retry-after-ms": String(pause) } : { "retry-after": retryAfter })
    })
    response.end(JSON.stringify({ type: "error", error, request_id: "req_stand_in" }))
  }

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { authorization, "x-api-key": apiKey, ...headers } = incoming.headers
    const body = parsed(Buffer.concat(chunks).toString("utf8"))
    const ended = new Promise<void>((resolve) => response.once("close", () => resolve()))
    const request = { body, headers, status: 0, ended } as MessagesRequest
    requests.push(request)
    for (const wake of waiting) wake()

    const path = new URL(incoming.url ?? "/", "http://localhost").pathname
    if (incoming.method !== "POST" || path !== "/v1/messages") return refuse(request, response, 404, "Not found")
    if (apiKey === undefined && authorization === undefined) {
      return refuse(request, response, 401, "x-api-key header is required")
    }
    // Either will do, but none may be wrong.
    const known = (apiKey ?? key) === key && (authorization ?? `Bearer ${key}`) === `Bearer ${key}`
    if (!known) return refuse(request, response, 401, "invalid x-api-key")
    if (!/^\d{4}-\d\d-\d\d$/.test(String(headers["anthropic-version"] ?? ""))) {
      return refuse(request, response, 400, "anthropic-version: header is required")
    }
    if (headers["content-type"]?.startsWith("application/json") !== true) {
      return refuse(request, response, 400, "content-type: should be application/json")
    }
    const wrong = complaint(options.agentSdk ? withoutBetas(body) : body, paused)
    if (wrong !== undefined) return refuse(request, response, 400, wrong)

    const n = valid++
    const reply = typeof script === "function" ? await script(request, n) : script[n]
    if (reply === undefined) return refuse(request, response, 400, `the script has no reply ${n}`)
    await reply.after
    if (response.destroyed) return
    if ("status" in reply)
      return refuse(request, response, reply.status, reply.message ?? `status ${reply.status}`, reply)
    if ("cut" in reply && reply.cut === "before") return void response.destroy()
    if ("whole" in reply) {
      request.status = 200
      response.writeHead(200, { "content-type": "application/json" })
      return void response.end(JSON.stringify(reply.whole))
    }
    if ("events" in reply) {
      request.status = 200
      response.writeHead(200, { "content-type": "text/event-stream" })
      return void response.end(reply.events.join(""))
    }
    const said = "content" in reply ? reply : says("this answer never ends")
    const message = messageOf(request, said, n)
    if (message.stop_reason === "pause_turn") paused.push(message.content)
    const events = request.body["stream"] === true ? serverSentEvents(message) : [JSON.stringify(message)]
    const text = events.join("")
    const type = request.body["stream"] === true ? "text/event-stream" : "application/json"
    response.writeHead(200, { "content-type": type, "request-id": `req_${n}` })
    if ("drips" in reply) return drip(response, events[0]!, request.body["stream"] === true)
    if ("cut" in reply) {
      return void response.write(text.slice(0, text.length / 2), () => reply.cut === "middle" && response.destroy())
    }
    request.status = 200
    if (said.held === undefined) return void response.end(text)
    const last = events.findLastIndex((event) => event.includes("text_delta"))
    response.write(events.slice(0, last).join(""))
    await said.held
    response.end(events.slice(last).join(""))
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    requests,
    arrived: (count) =>
      new Promise((resolve) => {
        const wake = () => {
          if (requests.length < count) return
          waiting.delete(wake)
          resolve()
        }
        waiting.add(wake)
        wake()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** The same, closed with the scope. */
export const messagesApi = (script: Script, options?: { readonly key?: string }) =>
  Effect.acquireRelease(
    Effect.promise(() => startMessagesApi(script, options)),
    (api) => Effect.promise(() => api.close())
  )

/** Begins an answer, and then says no more of it, but neither is silent. */
const drip = (response: ServerResponse, begins: string, isStream: boolean) => {
  response.write(isStream ? begins : begins.slice(0, 10))
  const ping = isStream ? 'event: ping\ndata: {"type":"ping"}\n\n' : " "
  const pinging = setInterval(() => response.write(ping), 5)
  response.once("close", () => clearInterval(pinging))
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const messageOf = (request: MessagesRequest, { content, stopReason, usage }: Says, n: number) => ({
  id: `msg_${n}`,
  type: "message",
  role: "assistant",
  model: request.body.model,
  // An id that depends on the place in the conversation only, so that a run that resumes gets the same ones.
  content: content.map((block, index) =>
    block.type === "tool_use" ? { id: `toolu_${request.body.messages.length}_${index}`, ...block } : block
  ),
  stop_reason: stopReason ?? (content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn"),
  stop_sequence: null,
  usage: usage ?? { input_tokens: 10, output_tokens: 5 }
})
