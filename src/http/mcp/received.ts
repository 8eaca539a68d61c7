import { randomUUID } from "node:crypto"
import { hasText } from "#engine/jsonPieces.ts"
import { small } from "#src/api/limits.ts"
import { type Message, messagesIn } from "./messages.ts"

/** A text of a call's arguments that has this many characters is replaced by a mark. */
const long = 256

type Object = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is Object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The same value with each of its texts replaced. */
const mapped = (value: unknown, textOf: (text: string) => string): unknown => {
  if (typeof value === "string") return textOf(value)
  if (Array.isArray(value)) return value.map((one) => mapped(one, textOf))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, textOf)]))
}

const brief = (value: unknown): unknown => (typeof value === "string" ? value.slice(0, long) : value)

/**
 * A greeting without what a client tells of itself: the server needs none of it, but would keep it as long as the
 * session lives.
 */
const plainly = (message: Message): Message => {
  const { method, params } = message
  if (method !== "initialize" || !isObject(params)) return message
  const { protocolVersion, capabilities, clientInfo } = params
  const { name, version } = isObject(clientInfo) ? clientInfo : {}
  return {
    ...message,
    params: {
      protocolVersion,
      capabilities: isObject(capabilities) ? {} : capabilities,
      clientInfo: isObject(clientInfo) ? { name: brief(name), version: brief(version) } : clientInfo
    }
  }
}

/**
 * What the protocol's library is given of a body. The library reads a message in one piece, twice, and writes its id,
 * names and URIs back in its answer. It must see only short messages, so a mark, a new random id, replaces each long
 * text of the arguments.
 */
export const shortened = (body: unknown) => {
  const texts = new Map<string, string>()
  const marked = (text: string): string => {
    if (text.length < long) return text
    const mark = randomUUID()
    texts.set(mark, text)
    return mark
  }
  const short = (message: Message): Message => {
    const { method, params } = message
    if (method !== "tools/call" || !isObject(params) || params["arguments"] === undefined) return message
    return { ...message, params: { ...params, arguments: mapped(params["arguments"], marked) } }
  }
  const messages = messagesIn(body).map(short)
  return {
    /** Whether the shortened body is still too large. */
    isTooLarge: hasText(messages, small.bytes),
    text: (): string => {
      const plain = messages.map(plainly)
      return body === undefined ? "" : JSON.stringify(Array.isArray(body) ? plain : plain[0])
    },
    /** Arguments as they were sent. */
    given: (arguments_: unknown): unknown => mapped(arguments_, (text) => texts.get(text) ?? text)
  }
}
