import type { Headers } from "#test/service/call.ts"
import { accept } from "./rpc.ts"

/** A POST to /mcp that is answered as a stream: settles when the stream has begun, and is read event by event. */
export const opened = async (url: string, key: string, body: unknown, headers: Headers = {}) => {
  const leaving = new AbortController()
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, accept, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: leaving.signal
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  /** The next event as it stands; `undefined` at the end. */
  const next = async (): Promise<string | undefined> => {
    for (;;) {
      const end = text.indexOf("\n\n")
      if (end >= 0) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        return event
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      text += value
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    next,
    /** All messages that are still to come. */
    rest: async () => {
      const messages = []
      for (let event = await next(); event !== undefined; event = await next())
        if (event.startsWith("data: ")) messages.push(JSON.parse(event.slice(6)))
      return messages
    },
    leave: () => leaving.abort()
  }
}
