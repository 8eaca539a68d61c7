import { assert } from "vitest"
import { ownerKey, type Service } from "#test/service.ts"

/** One server-sent event as it came. */
export interface Message {
  readonly id: string | undefined
  readonly event: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as an answer's json
  readonly data: any
}

const fieldOf = (block: string, name: string) =>
  block
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)

/** Opens a stream of events, and reads it message by message. */
export const listen = async (
  service: Service,
  path: string,
  key = ownerKey,
  headers: Record<string, string> = {},
  sent?: object
) => {
  const aborting = new AbortController()
  const response = await fetch(service.url + path, {
    ...(sent === undefined ? {} : { method: "POST", body: JSON.stringify(sent) }),
    headers: {
      authorization: `Bearer ${key}`,
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    signal: aborting.signal
  })
  assert.strictEqual(response.status, 200)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""

  /** The next message that has data; `undefined` at the end. */
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf("\n\n")
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        const data = fieldOf(block, "data")
        if (data !== undefined)
          return { id: fieldOf(block, "id"), event: fieldOf(block, "event"), data: JSON.parse(data) }
        continue
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      text += value
    }
  }
  return {
    headers: response.headers,
    next,
    /** So many messages, fewer when it ends before. */
    take: async (count: number): Promise<ReadonlyArray<Message>> => {
      const taken: Array<Message> = []
      while (taken.length < count) {
        const message = await next()
        if (message === undefined) break
        taken.push(message)
      }
      return taken
    },
    /** Reads until a message is the one that is meant; answers all. */
    until: async (wanted: (message: Message) => boolean): Promise<ReadonlyArray<Message>> => {
      const taken: Array<Message> = []
      for (;;) {
        const message = await next()
        if (message === undefined) return taken
        taken.push(message)
        if (wanted(message)) return taken
      }
    },
    close: () => {
      aborting.abort()
      return reader.cancel().catch(() => undefined)
    }
  }
}
