/** The fields of a JSON-RPC message that are read here; none is sure to be there, or valid. */
export interface Message {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** Messages of a body. */
export const messagesIn = (body: unknown): ReadonlyArray<Message> =>
  (Array.isArray(body) ? body : [body]).map((message) => (message ?? {}) as Message)

const members: ReadonlyArray<string> = ["jsonrpc", "id", "method", "params", "result", "error"]

const isWhole = ({ jsonrpc, id, method, result, error }: Message): boolean => {
  const identified = typeof id === "string" || (typeof id === "number" && Number.isFinite(id))
  if (jsonrpc !== "2.0") return false
  if (method === undefined) return identified && (result !== undefined || error !== undefined)
  return typeof method === "string" && (id === undefined || identified)
}

/**
 * What is wrong with messages that the server behind would misread; `undefined`: nothing. It would take a message's own
 * `headers` for those of the request, which were checked already. It answers each of several messages only if all can
 * be told apart.
 */
export const faultIn = (body: unknown): string | undefined => {
  const several = Array.isArray(body)
  const ids = new Set<unknown>()
  for (const [n, message] of messagesIn(body).entries()) {
    const which = several ? `Message ${n + 1} of the batch` : "The message"
    const more = typeof message === "object" ? Object.keys(message).find((name) => !members.includes(name)) : undefined
    if (more !== undefined) return `${which} has a field that none has. Send ${members.join(", ")}, and no other.`
    if (!several) continue
    if (!isWhole(message))
      return `${which} is none of JSON-RPC 2.0. Send each with jsonrpc, method and params, and an id.`
    const { id, method } = message
    if (method === undefined || id === undefined) continue
    if (ids.has(id)) return `${which} has the id of one before it. Send each request with an id of its own.`
    ids.add(id)
  }
  return undefined
}

/** How many requests are counted here: calls of tools are counted by themselves, notifications are free. */
export const countOf = (messages: ReadonlyArray<Message>): number =>
  messages.filter(({ id, method }) => id !== undefined && method !== "tools/call").length

/** A client takes a request back; `gaveUp`: because its time for the answer is over. */
export interface Cancellation {
  readonly requestId: unknown
  readonly gaveUp: boolean
}

const cancelled = "notifications/cancelled"
/** What clients say when their time for an answer is over. */
const timedOut = /\btime(?:d[ -]?|-?)out\b/i

/** The cancellation that a message holds. */
const cancellationOf = ({ params }: Message): Cancellation => {
  const { requestId, reason } = (params ?? {}) as { readonly requestId?: unknown; readonly reason?: unknown }
  return { requestId, gaveUp: typeof reason === "string" && timedOut.test(reason) }
}

/** The cancellations among the messages. */
export const cancellationsIn = (messages: ReadonlyArray<Message>): ReadonlyArray<Cancellation> =>
  messages.filter(({ id, method }) => id === undefined && method === cancelled).map(cancellationOf)

/** A cancellation as a message, with only what is needed of it. */
export const cancelling = ({ requestId, gaveUp }: Cancellation): string => {
  const params = gaveUp ? { requestId, reason: "timed out" } : { requestId }
  return JSON.stringify({ jsonrpc: "2.0", method: cancelled, params })
}

const isCall = ({ method }: Message): boolean => method === "tools/call"

/** The messages that call a tool. */
export const callsIn = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => messages.filter(isCall)

/** Whether any of the messages calls a tool. */
export const hasCall = (messages: ReadonlyArray<Message>): boolean => messages.some(isCall)

/** The token under which a call wants to hear of its progress; `undefined`: it does not want to. */
export const progressTokenOf = ({ params }: Message): string | number | undefined => {
  const token = (params as { readonly _meta?: { readonly progressToken?: unknown } } | null)?._meta?.progressToken
  return typeof token === "string" || typeof token === "number" ? token : undefined
}

/**
 * The answers to the requests among the messages if they can't be carried out. A call gets a result that a model can
 * act on.
 */
export const failuresOf = (messages: ReadonlyArray<Message>, message: string): ReadonlyArray<object> =>
  messages
    .filter(({ id, method }) => id !== undefined && method !== undefined)
    .map((one) => ({
      jsonrpc: "2.0",
      id: one.id,
      ...(isCall(one)
        ? { result: { content: [{ type: "text", text: message }], isError: true } }
        : { error: { code: -32603, message } })
    }))
