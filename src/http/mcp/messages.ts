/** What is looked at in a message of JSON-RPC, none of which is certain. */
export interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

/** Messages of a body. */
export const messagesIn = (body: unknown): ReadonlyArray<Message> =>
  (Array.isArray(body) ? body : [body]).map((message) => (message ?? {}) as Message)

/** Tools are counted by themselves, each in its class; what is no request costs nothing. */
export const countOf = (messages: ReadonlyArray<Message>): number =>
  messages.filter(({ id, method }) => id !== undefined && method !== "tools/call").length

const isCall = ({ method }: Message): boolean => method === "tools/call"

export const hasCall = (messages: ReadonlyArray<Message>): boolean => messages.some(isCall)

/** By what a call wants to hear of its progress, if it does. */
export const progressTokenOf = ({ params }: Message): string | number | undefined => {
  const token = (params as { readonly _meta?: { readonly progressToken?: unknown } } | null)?._meta?.progressToken
  return typeof token === "string" || typeof token === "number" ? token : undefined
}

/** The answer to each request among the messages when they can't be carried out: to a call a result that a model can act on. */
export const failuresOf = (messages: ReadonlyArray<Message>, message: string): ReadonlyArray<object> =>
  messages
    .filter(({ id, method }) => id !== undefined && method !== undefined)
    .map((one) => ({
      ...{ jsonrpc: "2.0", id: one.id },
      ...(isCall(one)
        ? { result: { content: [{ type: "text", text: message }], isError: true } }
        : { error: { code: -32603, message } })
    }))
