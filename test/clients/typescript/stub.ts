import { Cairn, type CairnOptions, type Clock, type Fetch, type Logger } from "../../../clients/typescript/src/index.ts"

/**
 * What one try meets: an answer, a failure of the network, silence until the signal ends it, or something of its own.
 */
export type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: { readonly [name: string]: string } }
  | { readonly network: string }
  | "silence"
  | Fetch

/** A request as it was sent. */
export interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a request is looked at field by field
  readonly body: any
}

export const key = "cairn_live_secretsecretsecret"
export const fine = { status: 200, body: { success: true, vote_pending: true, message: "Thanks." } }

const answer = async (reply: Reply, url: string, init: RequestInit): Promise<Response> => {
  if (typeof reply === "function") return reply(url, init)
  if (reply === "silence") {
    return new Promise((_, reject) => {
      init.signal!.addEventListener("abort", () => reject(init.signal!.reason), { once: true })
    })
  }
  if ("network" in reply) throw new TypeError("fetch failed", { cause: new Error(reply.network) })
  const { status, body = {}, headers = {} } = reply
  return new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { "x-request-id": "req_1", ...headers }
  })
}

/**
 * A client whose requests meet these replies, one each and the last for ever, and whose time is in the test's hands:
 * waits end at once and are noted; a timeout fires when the test says so.
 */
export const stub = (replies: ReadonlyArray<Reply>, options: CairnOptions = {}) => {
  const sent: Array<Sent> = []
  const waits: Array<number> = []
  const timeouts: Array<{ readonly milliseconds: number; readonly run: () => void; cancelled: boolean }> = []
  const lines: Array<string> = []
  const now = Date.parse("2026-11-21T12:00:00Z")
  const noting = (level: string) => (message: string, details?: unknown) =>
    void lines.push(`${level} ${message} ${JSON.stringify(details)}`)
  const logger: Logger = {
    debug: noting("debug"),
    info: noting("info"),
    warn: noting("warn"),
    error: noting("error")
  }
  const clock: Clock = {
    now: () => now,
    random: () => 0,
    sleep: async (milliseconds, signal) => {
      waits.push(milliseconds)
      signal?.throwIfAborted()
    },
    timeout: (milliseconds, run) => {
      const timeout = { milliseconds, run, cancelled: false }
      timeouts.push(timeout)
      return () => void (timeout.cancelled = true)
    }
  }
  const fetch: Fetch = (url, init) => {
    const reply = replies[Math.min(sent.length, replies.length - 1)]!
    const body = init.body === undefined ? undefined : JSON.parse(String(init.body))
    sent.push({ url, method: init.method!, headers: init.headers as Headers, body })
    return answer(reply, url, init)
  }
  const cairn = new Cairn({ apiKey: key, baseUrl: "http://cairn.test", fetch, clock, logger, ...options })
  const vote = (options?: Parameters<Cairn["voteCodeSnip"]>[1]) =>
    cairn.voteCodeSnip({ codeBlockId: "id", succeeded: true }, options)
  return { cairn, vote, sent, waits, timeouts, lines, clock, now }
}

/** Of what a client logged: which requests are sent again, and when. */
export const retriesIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.filter((line) => line.includes("sent again")).map((line) => line.split(" {")[0]!)

/** What a promise fails with. */
export const failure = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("It did not fail.")
}
