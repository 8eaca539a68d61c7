import { systemClock } from "../clock.ts"
import { MessageReader } from "../eventStream/messages.ts"
import { backoff } from "../retry.ts"
import { type Failure, isRequest, type Message, routingOf } from "./messages.ts"

/**
 * Tries after the first, while a service that was there is away: with their waits about twenty seconds, in which it
 * starts again.
 */
const mostRetries = 6

/** The answer was not what it should be, or did not come: what is said to who asked. */
class Unanswered extends Error {
  readonly failure: Failure
  /** Whether the same again may be answered. */
  readonly transient: boolean
  constructor(failure: Failure, transient: boolean) {
    super(failure.message)
    this.failure = failure
    this.transient = transient
  }
}

/** A text that is shown has no name and password, should the URL have them. */
const shownUrl = (url: string): string => url.replace(/\/\/[^/]*@/, "//…@")

/**
 * Cairn's /mcp. It keeps what HTTP needs besides the messages: the session's headers, and the greeting that begins a
 * session anew when the service has ended or forgotten it, because clients over standard input and output never expect
 * that.
 */
export class Service {
  readonly #url: string
  readonly #headers: { readonly [name: string]: string }
  /** None until a session began, and none in versions without sessions. */
  #session: { readonly [name: string]: string } = {}
  #greeting: Message | undefined
  /** A session that is being begun anew: everybody waits for the one. */
  #renewing: Promise<void> | undefined
  #reached = false

  constructor(baseUrl: string, key: string, headers: { readonly [name: string]: string }) {
    this.#url = `${baseUrl.replace(/\/+$/, "")}/mcp`
    this.#headers = { ...headers, ...(key === "" ? {} : { authorization: `Bearer ${key}` }) }
  }

  /**
   * Sends a message; `say` gets what is answered, as it comes. A write that is sent again is the same write, and a chat
   * that is sent again joins its run.
   * @returns Why there is no answer, if there is none.
   */
  async pass(message: Message, say: (answer: unknown) => void, signal: AbortSignal): Promise<Failure | undefined> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#answer(message, say, signal)
      } catch (cause) {
        if (signal.aborted) return undefined
        const error = cause instanceof Unanswered ? cause : this.#unreachable(cause)
        const again = error.transient && this.#reached && isRequest(message) && attempt < mostRetries
        if (!again) return error.failure
        await systemClock.sleep(backoff(attempt, Math.random()), signal).catch(() => {})
        if (signal.aborted) return undefined
      }
    }
  }

  /** Says a message of the session, if there is one; whoever is away, or slow, has not heard it. */
  async tell(message: Message): Promise<void> {
    if (!("mcp-session-id" in this.#session)) return
    const answered = await this.#post(message, this.#session, AbortSignal.timeout(2_000)).catch(() => undefined)
    await answered?.body?.cancel().catch(() => {})
  }

  /** Ends the session; a service that is away, or slow, is not waited for. */
  async end(): Promise<void> {
    if (Object.keys(this.#session).length === 0) return
    const headers = { ...this.#headers, ...this.#session }
    const signal = AbortSignal.timeout(2_000)
    await fetch(this.#url, { method: "DELETE", redirect: "manual", headers, signal }).catch(() => {})
  }

  async #answer(message: Message, say: (answer: unknown) => void, signal: AbortSignal): Promise<Failure | undefined> {
    const greets = message.method === "initialize"
    if (greets) {
      this.#greeting = message
      this.#session = {}
    }
    await this.#renewing
    const used = this.#session
    let response = await this.#post(message, used, signal)
    if (response.status === 404 && "mcp-session-id" in used && this.#greeting !== undefined) {
      await response.body?.cancel()
      await this.#renewed(used)
      response = await this.#post(message, this.#session, signal)
    }
    if (!response.ok) return this.#refusal(response)
    if (greets) this.#keep(response)
    let answered = !isRequest(message)
    try {
      for await (const answer of this.#messages(response)) {
        const { id, method } = answer as Message
        answered ||= method === undefined && id === message.id
        say(answer)
      }
    } catch (cause) {
      if (!answered) throw cause
    }
    // what ended without an answer was cut; of what was cancelled the service says nothing
    if (!answered && !signal.aborted) throw this.#cut()
    return undefined
  }

  async #post(message: Message, session: { readonly [name: string]: string }, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(this.#url, {
      method: "POST",
      // one that is followed would take the key and the message along, to whoever it leads to
      redirect: "manual",
      headers: {
        ...this.#headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...session,
        ...routingOf(message)
      },
      body: JSON.stringify(message),
      signal: signal ?? null
    })
    this.#reached = true
    if (response.status !== 503) return response
    throw new Unanswered(await this.#refusal(response), true)
  }

  #keep({ headers }: Response): void {
    const id = headers.get("mcp-session-id")
    if (id === null) return
    this.#session = { "mcp-session-id": id, "mcp-protocol-version": headers.get("mcp-protocol-version") ?? "" }
  }

  /** Begins a session anew with the greeting of the first one, once for all who found theirs ended. */
  async #renewed(ended: { readonly [name: string]: string }): Promise<void> {
    if (this.#session !== ended) return this.#renewing
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renew(): Promise<void> {
    const response = await this.#post(this.#greeting!, {})
    if (!response.ok) throw new Unanswered(await this.#refusal(response), false)
    await response.text()
    this.#keep(response)
    const initialized: Message & { jsonrpc: string } = { jsonrpc: "2.0", method: "notifications/initialized" }
    await (await this.#post(initialized, this.#session)).text()
  }

  /** The messages of an answer: one of JSON, or those of a stream as they come. */
  async *#messages(response: Response): AsyncGenerator<unknown> {
    const read = (text: string): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        throw new Unanswered(this.#foreign(response.status), false)
      }
    }
    if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
      const text = await response.text()
      if (text !== "") yield read(text)
      return
    }
    const events = new MessageReader()
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const heard of events.read(text)) if (heard !== "comment") yield read(heard.data)
    }
  }

  /** A refusal of the service's that is no JSON-RPC: its message, and its body as the data. */
  async #refusal(response: Response): Promise<Failure> {
    const text = await response.text()
    const hint = response.status === 401 ? " cairn-mcp takes the key from CAIRN_API_KEY." : ""
    try {
      const data = JSON.parse(text) as { message?: string; error?: unknown; jsonrpc?: string }
      if (data.jsonrpc !== undefined && typeof data.error === "object") return data.error as Failure
      return { code: -32000, message: `${data.message ?? `Cairn answered ${response.status}.`}${hint}`, data }
    } catch {
      return this.#foreign(response.status)
    }
  }

  #foreign(status: number): Failure {
    const message = `${shownUrl(this.#url)} answered ${status}, and not as Cairn does. Check CAIRN_BASE_URL.`
    return { code: -32000, message }
  }

  #cut(): Unanswered {
    const message = `${shownUrl(this.#url)} went away before it had answered. Make the same call again: what it began goes on.`
    return new Unanswered({ code: -32000, message }, true)
  }

  #unreachable(cause: unknown): Unanswered {
    const { code = "" } = ((cause as { cause?: unknown }).cause ?? cause) as { code?: string }
    if (code === "ERR_INVALID_URL" || !URL.canParse(this.#url)) {
      const message = "CAIRN_BASE_URL is no URL. Set it to one such as http://127.0.0.1:8080."
      return new Unanswered({ code: -32000, message }, false)
    }
    const why = typeof code === "string" && code !== "" ? ` (${code})` : ""
    const message = `${shownUrl(this.#url)} can't be reached${why}. Start Cairn, or check CAIRN_BASE_URL.`
    return new Unanswered({ code: -32000, message }, true)
  }
}
