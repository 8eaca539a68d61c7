import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { toUnit } from "#domain/search/embeddings/vector.ts"
import { parseJson } from "#engine/parseJson.ts"
import { encoder } from "./embeddings.ts"

/** What a server answers, other than vectors. */
export type Fault =
  | { readonly status: number; readonly headers?: { readonly [name: string]: string }; readonly body?: string }
  /** An answer of this text, with status 200. */
  | { readonly body: string }
  /** Vectors of that width, of these numbers, or fewer of them than texts. */
  | { readonly width: number }
  | { readonly numbers: ReadonlyArray<unknown> }
  | { readonly lacks: number }
  /** Nothing until this is settled. */
  | { readonly after: PromiseLike<unknown> }
  /** So many bytes of one answer that does not end before. */
  | { readonly bytes: number }
  | { readonly cut: true }

export interface EmbeddingsRequest {
  // biome-ignore lint/suspicious/noExplicitAny: a body is looked at field by field, and its shape is what a test is about
  readonly body: any
  readonly texts: ReadonlyArray<string>
  readonly headers: IncomingMessage["headers"]
}

/** What goes wrong with a request; `undefined`: nothing. */
export type Script = (request: EmbeddingsRequest, n: number) => Fault | undefined

export interface EmbeddingsApi {
  /** For `CAIRN_EMBEDDINGS_URL`. */
  readonly url: string
  readonly key: string
  /** Oldest first. */
  readonly requests: ReadonlyArray<EmbeddingsRequest>
  /** From now on. */
  readonly script: (script: Script) => void
  /** Bytes of bodies that it has sent. */
  readonly sent: () => number
  readonly close: () => Promise<void>
}

/** What texts begin with that are asked; all others are to be found. */
export const queryPrefix = "query: "

const key = "sk-embeddings-of-a-test"

const fields = new Set(["input", "model", "encoding_format", "dimensions", "user"])

/** What is wrong with a request by the published schema, `CreateEmbeddingRequest`; `undefined`: nothing. */
const complaint = (body: { readonly [field: string]: unknown }): string | undefined => {
  const { input, model, encoding_format, dimensions } = body
  const unknown = Object.keys(body).find((name) => !fields.has(name))
  if (unknown !== undefined) return `${unknown} is not a field`
  if (typeof model !== "string" || model === "") return "model must be a string"
  if (!Array.isArray(input) || input.length === 0 || input.length > 2_048) return "input must have 1 to 2048 texts"
  if (!input.every((text) => typeof text === "string" && text !== "")) return "input must not have an empty text"
  if (encoding_format !== undefined && encoding_format !== "float") return "encoding_format must be float"
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && (dimensions as number) >= 1))
    return "dimensions must be 1 or more"
  return undefined
}

/** What a text means by the table, in so many numbers: the same cosines as in 128. */
const vectorOf = (text: string, width: number): ReadonlyArray<number> => {
  const asked = text.startsWith(queryPrefix)
  const vector = asked
    ? encoder.query(text.slice(queryPrefix.length)).vector
    : toUnit(encoder.snippet({ name: "", description: "", source: text }))
  const wide = new Array<number>(width).fill(0)
  for (const [at, number] of vector.entries()) wide[(at * 7) % width] = number
  // what the table can't read means something of its own, near to nothing
  if (vector.every((number) => number === 0)) wide[width - 1] = 1
  return wide
}

const read = async (request: IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString("utf8")
}

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

const failure = (message: string, code: string | null = null) => ({
  error: { message, type: "invalid_request_error", param: null, code }
})

/**
 * An OpenAI-compatible server of embeddings on this machine, as strict as the published schema; its model is the table
 * in vectors of
 * `width` numbers, a multiple of 7 plus something, of at least 129.
 */
export const startEmbeddingsApi = async (width = 384, first: Script = () => undefined): Promise<EmbeddingsApi> => {
  const requests: Array<EmbeddingsRequest> = []
  let script = first
  let sent = 0

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = parseJson(await read(request)) as { readonly [field: string]: unknown }
    if (request.method !== "POST" || request.url !== "/v1/embeddings")
      return json(response, 404, failure("no such route"))
    if (request.headers.authorization !== `Bearer ${key}`) return json(response, 401, failure("wrong key"))
    if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
      return json(response, 415, failure("JSON is expected"))
    const wrong = complaint(body)
    if (wrong !== undefined) return json(response, 400, failure(wrong))
    const texts = body["input"] as ReadonlyArray<string>
    const asked = { body, texts, headers: request.headers }
    const fault = script(asked, requests.push(asked))
    const shown = fault !== undefined && "width" in fault ? fault.width : ((body["dimensions"] as number) ?? width)
    const vectors = () => {
      const data = texts.map((text, index) => ({
        object: "embedding",
        index,
        embedding: fault !== undefined && "numbers" in fault ? fault.numbers : vectorOf(text, shown)
      }))
      // by their index, not by their order
      return fault !== undefined && "lacks" in fault ? data.slice(fault.lacks) : data.reverse()
    }
    if (fault === undefined || "width" in fault || "numbers" in fault || "lacks" in fault) {
      const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0)
      return json(response, 200, {
        object: "list",
        data: vectors(),
        model: body["model"],
        usage: { prompt_tokens: tokens, total_tokens: tokens }
      })
    }
    if ("after" in fault) {
      await fault.after
      return response.destroyed ? undefined : json(response, 200, { object: "list", data: vectors(), model: "m" })
    }
    if ("cut" in fault) return request.socket.destroy()
    if ("bytes" in fault) {
      response.writeHead(200, { "content-type": "application/json" })
      response.write('{"object":"list","data":[{"object":"embedding","index":0,"embedding":[')
      const piece = "0.123456,".repeat(8_000)
      const closed = once(response, "close")
      while (sent < fault.bytes && !response.destroyed) {
        sent += piece.length
        if (!response.write(piece)) await Promise.race([once(response, "drain"), closed])
      }
      return response.destroyed ? undefined : response.end()
    }
    if (!("status" in fault)) return response.writeHead(200, { "content-type": "text/html" }).end(fault.body)
    return response.writeHead(fault.status, fault.headers ?? {}).end(fault.body ?? JSON.stringify(failure("no")))
  }
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    key,
    requests,
    script: (next) => {
      script = next
    },
    sent: () => sent,
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      })
  }
}
