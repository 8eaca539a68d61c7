/** A message of JSON-RPC, as far as it is looked at. */
export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: { readonly [name: string]: unknown }
}

/** Why a request has no answer, as JSON-RPC says it. */
export interface Failure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export const isRequest = ({ id, method }: Message): boolean => id !== undefined && id !== null && method !== undefined

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The messages of a line, which clients of 2025-03-26 may put several on; or what is wrong with it. */
export const messagesOf = (line: string): ReadonlyArray<Message> | Failure => {
  let read: unknown
  try {
    read = JSON.parse(line)
  } catch {
    return { code: -32700, message: "A line is no JSON. Send one message a line." }
  }
  const all = Array.isArray(read) ? read : [read]
  return all.length > 0 && all.every(isMessage)
    ? all
    : { code: -32600, message: "A line is no JSON object. Send one message a line." }
}

const encoded = (name: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith("=?")
    ? name
    : `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(name)))}?=`

/** What a version without sessions wants in the head; it names itself in each message. */
export const routingOf = ({ method = "", params }: Message): { readonly [name: string]: string } => {
  const meta = params?.["_meta"] as { readonly [name: string]: unknown } | undefined
  const version = meta?.["io.modelcontextprotocol/protocolVersion"]
  if (typeof version !== "string") return {}
  const name = params?.["name"] ?? params?.["uri"]
  const named = typeof name === "string" ? { "mcp-name": encoded(name) } : {}
  return { "mcp-protocol-version": version, "mcp-method": method, ...named }
}
