import type { Socket } from "node:net"
import { assert } from "vitest"
import type { Answer } from "#test/service.ts"
import type { Target } from "./Target.ts"

/** Something that a holder of a key, or anyone, can do to a service. */
export interface Attack {
  readonly name: string
  /** What has to be there first; not watched. */
  readonly arrange?: (target: Target) => Promise<void>
  /** Looks at the answers itself: the service must be refusing or doing, and never failing. */
  readonly run: (target: Target) => Promise<void>
  /**
   * How many times what one request may hold the loop the whole attack may, which is many requests at once. 1 unless
   * told.
   */
  readonly share?: number
}

/** That the service did or refused it, in the one error body. */
export const answered = ({ status, json, text }: Answer, ...statuses: ReadonlyArray<number>): Answer["json"] => {
  const about = text.slice(0, 300)
  if (statuses.length > 0) assert.include(statuses, status, about)
  assert.isTrue(status < 500 || status === 503, `${status} ${about}`)
  if (status >= 400) {
    assert.isString(json?.code, about)
    assert.isAtMost(text.length, 16_384)
  }
  return json
}

/** The same again for as long as the service has not taken in yet what was just written. */
export const asked = async (one: () => Promise<Answer>): Promise<Answer> => {
  for (;;) {
    const answer = await one()
    if (answer.status !== 503 || answer.json?.code !== "unavailable/store") return answer
  }
}

export const times = async <A>(count: number, one: (n: number) => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: count }, (_, n) => one(n)))

/** A connection that asks for something, and reads nothing of what comes. */
export const deaf = async (target: Target, request: string): Promise<Socket> => {
  const socket = await target.socket()
  socket.pause()
  socket.write(request)
  return socket
}

/**
 * A search that finds nothing large: what is large waits for the key's room while its other readers hold it (decision
 * 36), and "t" or "something" would find the tall files of other attacks.
 */
export const smallSearch = { task: "friendly 1", top_k: 1 }

/** Asks for something small beside connections, and ends them, also when it was not answered. */
export const searchedBeside = async ({ call }: Target, sockets: ReadonlyArray<Socket>): Promise<void> => {
  try {
    answered(await call("POST", "/api/retrieve/search", smallSearch), 200)
  } finally {
    close(sockets)
  }
}

export const close = (sockets: ReadonlyArray<Socket>): void => {
  for (const socket of sockets) socket.destroy()
}
