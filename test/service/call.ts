import { parseJson } from "#engine/parseJson.ts"

/** An answer as it came; `json` is `undefined` when the body is no JSON. */
export interface Answer {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at field by field, and its shape is what a test is about
  readonly json: any
}

export type Headers = { readonly [name: string]: string }

/** A string or bytes go out as they are, anything else as JSON. */
export type Call = (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>

const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** One request; a header that is `""` is left out. */
export const send = async (
  url: string,
  method: string,
  path: string,
  body: unknown,
  headers: Headers
): Promise<Answer> => {
  const raw = typeof body === "string" || body instanceof Uint8Array
  const given = Object.entries({ ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers })
  const response = await fetch(url + path, {
    method,
    headers: given.filter(([, value]) => value !== ""),
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}
