/** What is looked at in a message of JSON-RPC, none of which is certain. */
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
 * What is wrong with messages that the server behind would take for others than they are; `undefined`: nothing. It
 * takes a message's own `headers` for those of the request, which were looked at already. Of several messages each is
 * answered only where all can be told apart.
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

/** Tools are counted by themselves, each in its class; what is no request costs nothing. */
export const countOf = (messages: ReadonlyArray<Message>): number =>
  messages.filter(({ id, method }) => id !== undefined && method !== "tools/call").length

/** A client takes a request back; `gaveUp`: because it has waited for long enough. */
export interface Cancellation {
  readonly requestId: unknown
  readonly gaveUp: boolean
}

const cancelled = "notifications/cancelled"
/** What clients say whose time for an answer is over. */
const timedOut = /\btime(?:d[ -]?|-?)out\b/i

/** What a message says of a request that is taken back. */
export const cancellationOf = ({ params }: Message): Cancellation => {
  const { requestId, reason } = (params ?? {}) as { readonly requestId?: unknown; readonly reason?: unknown }
  return { requestId, gaveUp: typeof reason === "string" && timedOut.test(reason) }
}

/** Those by which a client takes requests back. */
export const cancellationsIn = (messages: ReadonlyArray<Message>): ReadonlyArray<Cancellation> =>
  messages.filter(({ id, method }) => id === undefined && method === cancelled).map(cancellationOf)

/** A cancellation as a message, with no more than what is needed of it. */
export const cancelling = ({ requestId, gaveUp }: Cancellation): string => {
  const params = gaveUp ? { requestId, reason: "timed out" } : { requestId }
  return JSON.stringify({ jsonrpc: "2.0", method: cancelled, params })
}

const isCall = ({ method }: Message): boolean => method === "tools/call"

/** Those that call a tool. */
export const callsIn = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => messages.filter(isCall)

/** Whether any of them calls a tool. */
export const hasCall = (messages: ReadonlyArray<Message>): boolean => messages.some(isCall)

/** By what a call wants to hear of its progress, if it does. */
export const progressTokenOf = ({ params }: Message): string | number | undefined => {
  const token = (params as { readonly _meta?: { readonly progressToken?: unknown } } | null)?._meta?.progressToken
  return typeof token === "string" || typeof token === "number" ? token : undefined
}

/**
 * The answer to each request among the messages when they can't be carried out: to a call a result that a model can act
 * on.
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
