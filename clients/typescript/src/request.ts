import { APIError, AuthenticationError, ValidationError } from "./errors.ts"
import { excerpt, requestIdOf } from "./failure.ts"
import { type HeadersLike, named, type RequestOptions, type Settings } from "./options.ts"
import { VERSION } from "./version.ts"

type Parameters = { readonly [name: string]: string | number | undefined }

/** One call of the service, as a method of the library makes it. */
export interface Call<T> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Below the base URL, from `/` on; its parts are encoded already. */
  readonly path: string
  readonly query?: Parameters
  /** What is `undefined` is left out. */
  readonly body?: object
  /** In place of a body of fields: bytes as they are. */
  readonly bytes?: Uint8Array
  /** Besides those of every call. What is `undefined` is left out. */
  readonly headers?: { readonly [name: string]: string | undefined }
  /** In place of the client's: the workspace of this call. */
  readonly workspaceId?: string | undefined
  /** Milliseconds, when neither the call nor the client says. */
  readonly timeout?: number
  /** Needs no API key. */
  readonly open?: boolean
  /** What the answer should be, where `answer` does not say. */
  readonly mediaType?: string
  /** Whether an answer that is no 2xx is a result all the same, by its status and text. */
  readonly accepts?: (status: number, body: string) => boolean
  readonly answer: Answer<T>
}

/** How an answer becomes a result: from its JSON, or its bytes as they are. */
export type Answer<T> =
  | { readonly as: "json"; readonly read: (body: never) => T }
  | { readonly as: "bytes"; readonly read: (bytes: Uint8Array) => T }

/** A result read off a JSON object of the shape `Wire`. */
export const json = <Wire, T>(read: (body: Wire) => T): Answer<T> => ({ as: "json", read: read as (body: never) => T })

/** The bytes themselves. */
export const bytes: Answer<Uint8Array> = { as: "bytes", read: (given) => given }

/** The bytes as a text. */
export const text: Answer<string> = { as: "bytes", read: (given) => new TextDecoder().decode(given) }

/** A part of a path. One that is empty or moves within the path would call another route. */
export const part = (name: string, value: string): string => {
  const refused = (options?: ErrorOptions) =>
    new ValidationError(`${name} is ${JSON.stringify(value)}; expected what the service calls it.`, name, options)
  if (value === "" || value === "." || value === "..") throw refused()
  try {
    return encodeURIComponent(value)
  } catch (cause) {
    throw refused({ cause }) // half of a character
  }
}

export const urlOf = (baseUrl: string, path: string, query: Parameters = {}): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  const search = given.toString()
  return baseUrl + path + (search === "" ? "" : `?${search}`)
}

/** The body of all tries. */
export const bodyOf = ({ body, bytes }: Call<unknown>): { readonly body?: string | Uint8Array<ArrayBuffer> } => {
  // a copy that nobody changes between two tries
  if (bytes !== undefined) return { body: new Uint8Array(bytes) }
  for (const [name, value] of Object.entries(body ?? {})) {
    if (typeof value !== "number" || Number.isFinite(value)) continue
    // JSON would make null of it, which is the service's default
    throw new ValidationError(`${name} is ${value}; expected a number.`, name)
  }
  try {
    return body === undefined ? {} : { body: JSON.stringify(body) }
  } catch (cause) {
    throw new ValidationError("A parameter can't be written as JSON: it has a cycle or a BigInt.", null, { cause })
  }
}

const entriesOf = (headers: HeadersLike): ReadonlyArray<readonly [string, string | null | undefined]> =>
  headers instanceof Headers ? [...headers.entries()] : Object.entries(headers)

/**
 * A header's value as it is sent. What names a scope is read as UTF-8 by the service, and `fetch` takes one character a
 * byte.
 */
const carried = (name: string, value: string): string => {
  if (!/^x-(?:cairn|raysurfer)-/i.test(name) || !/[^\u0000-\u007f]/.test(value)) return value
  const bytes = new TextEncoder().encode(value)
  // the encoder writes something else for half of a character
  if (new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) !== value) throw new TypeError("half of a character")
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
}

/** The headers of all tries of a call: the idempotency key is made here, once. */
export const headersOf = (settings: Settings, call: Call<unknown>, options: RequestOptions): Headers => {
  const given = {
    Accept: call.mediaType ?? (call.answer.as === "json" ? "application/json" : "*/*"),
    "User-Agent": `cairn-client/${VERSION} (typescript)`,
    "X-Cairn-SDK-Version": `typescript/${VERSION}`,
    "Content-Type":
      call.bytes !== undefined ? "application/octet-stream" : call.body === undefined ? undefined : "application/json",
    ...call.headers,
    "Idempotency-Key": options.idempotencyKey ?? (call.method === "GET" ? undefined : globalThis.crypto.randomUUID()),
    Authorization: settings.apiKey === undefined ? undefined : `Bearer ${settings.apiKey}`,
    ...settings.scope,
    ...call.headers,
    ...(call.workspaceId === undefined ? {} : { "X-Cairn-Workspace-Id": named("workspaceId", call.workspaceId) })
  }
  const headers = new Headers()
  for (const [name, value] of [given, settings.headers, options.headers ?? {}].flatMap(entriesOf)) {
    if (value === undefined) continue
    try {
      if (value === null) headers.delete(name)
      else headers.set(name, carried(name, value))
    } catch {
      // its error would say the value, which may be a key
      throw new ValidationError(`The header ${name} can't be sent; expected one line.`, name)
    }
  }
  if (call.open || headers.has("authorization")) return headers
  throw new AuthenticationError("There is no API key. Give the option apiKey, or set CAIRN_API_KEY.", {
    code: "auth/missing_api_key"
  })
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The result of a 2xx. */
export const resultOf = <T>({ answer, method, path }: Call<T>, response: Response, body: string | Uint8Array): T => {
  if (answer.as === "bytes") return answer.read(body as Uint8Array)
  const unreadable = (why: string, cause?: unknown) =>
    new APIError(
      `${method} ${path} was answered with what is no answer of this service (${why}). Is baseUrl right?`,
      response.status,
      { requestId: requestIdOf(response), cause }
    )
  let value: unknown
  try {
    value = JSON.parse(body as string)
  } catch (cause) {
    throw unreadable(`no JSON: ${excerpt(body as string) || "empty"}`, cause)
  }
  if (!isObject(value)) throw unreadable("no JSON object")
  try {
    return answer.read(value as never)
  } catch (cause) {
    throw unreadable("a field is missing or of another type", cause)
  }
}
