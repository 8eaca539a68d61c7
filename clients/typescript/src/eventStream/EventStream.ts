import { APIError, AuthenticationError } from "../errors.ts"
import { type Failure, reasonOf, refusal, requestIdOf, unanswered } from "../failure.ts"
import { checkedRetries, checkedTimeout, type RequestOptions, type Settings, usualTimeout } from "../options.ts"
import { headersOf, json, urlOf } from "../request.ts"
import { type EventsParams, type EventWire, eventOf, type RecordedEvent } from "../resources/events.ts"
import { waitBefore } from "../retry.ts"
import { MessageReader } from "./messages.ts"

/** Which events are streamed. */
export interface EventStreamParams extends Pick<EventsParams, "type" | "stream" | "after"> {}

const path = "/api/events/stream"
const what = `GET ${path}`
/** Milliseconds. The service says every 15 s that it is there, so a shorter silence tells nothing. */
const shortestTimeout = 45_000

/** How far a stream has come. */
interface Progress {
  after: string | undefined
  /** Connections in a row over which nothing was heard. */
  silent: number
}

const lasting = (error: Failure["error"]): Failure => ({ error, transient: false, retryAfter: null })

const unreadable = (response: Response, found: string): Failure =>
  lasting(
    new APIError(`${what} was answered with ${found}. Is baseUrl right?`, response.status, {
      requestId: requestIdOf(response)
    })
  )

const readEvent = (data: string): RecordedEvent | undefined => {
  try {
    return eventOf(JSON.parse(data) as EventWire)
  } catch {
    return undefined
  }
}

/** What the service's last message says: why nothing more comes over this connection. */
const ending = (data: string): Failure => {
  const { reason, message } = JSON.parse(data) as { readonly reason: string; readonly message: string }
  return reason === "revoked"
    ? lasting(new AuthenticationError(message, { code: "auth/invalid_api_key" }))
    : unanswered(message)
}

/**
 * The events of the organization as they come, for as long as they are taken: first those that are in the log already,
 * then each new one within moments. When the connection is cut it is made again, behind the last event: none is left
 * out, none comes twice. Ends with `break`, or with the reason of the call's `signal`; by itself it never does.
 */
export class EventStream implements AsyncIterable<RecordedEvent> {
  readonly #settings: Settings
  readonly #params: EventStreamParams
  readonly #options: RequestOptions

  /** @internal */
  constructor(settings: Settings, params: EventStreamParams, options: RequestOptions = {}) {
    this.#settings = settings
    this.#params = params
    this.#options = options
  }

  /**
   * The events, one after the other.
   * @throws {@link AuthenticationError}: The key was revoked.
   * @throws {@link CacheUnavailableError}: So many connections in a row brought nothing as `maxRetries` allows.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<RecordedEvent, void, undefined> {
    const { clock, log, maxRetries } = this.#settings
    const retries = checkedRetries(this.#options.maxRetries ?? maxRetries)
    const progress: Progress = { after: this.#params.after, silent: 0 }
    for (;;) {
      const { error, transient, retryAfter } = yield* this.#connection(progress)
      const wait =
        transient && progress.silent < retries ? waitBefore(progress.silent, retryAfter, clock.random()) : null
      if (wait === null) throw error
      progress.silent++
      log.info(`${what} is sent again in ${Math.round(wait)} ms`, { error: error.name, code: error.code })
      await clock.sleep(wait, this.#options.signal)
    }
  }

  /** What comes over one connection, and why no more does. Fails only with the reason of the caller's own signal. */
  async *#connection(progress: Progress): AsyncGenerator<RecordedEvent, Failure, undefined> {
    const { baseUrl, clock, fetch, log, timeout } = this.#settings
    const { signal, ...options } = this.#options
    signal?.throwIfAborted()
    const { type, stream } = this.#params
    const call = { method: "GET", path, mediaType: "text/event-stream", answer: json(() => undefined) } as const
    const headers = headersOf(this.#settings, call, options)
    const silence = Math.max(checkedTimeout(options.timeout) ?? timeout ?? usualTimeout, shortestTimeout)
    const controller = new AbortController()
    const stop = () => controller.abort(signal?.reason)
    signal?.addEventListener("abort", stop, { once: true })
    const ended = new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true })
    })
    // nobody waits for it while an event is with the caller
    ended.catch(() => {})
    let late = false
    /** A fetch that does not listen to its signal must not outlast it. */
    const inTime = async <T>(step: Promise<T>): Promise<T> => {
      const cancel = clock.timeout(silence, () => {
        late = true
        controller.abort()
      })
      return Promise.race([step, ended]).finally(cancel)
    }
    try {
      const url = urlOf(baseUrl, path, { type, stream, after: progress.after })
      const response = await inTime(
        fetch(url, { method: "GET", headers, redirect: "manual", signal: controller.signal })
      )
      log.debug(`${what} was answered with ${response.status}`, { requestId: requestIdOf(response) })
      if (!response.ok) return refusal(response, await inTime(response.text()), what, clock.now())
      if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
        return unreadable(response, "what is no stream of events")
      }
      const pieces = response.body.getReader()
      const decoder = new TextDecoder()
      const reader = new MessageReader()
      for (;;) {
        const { done, value } = await inTime(pieces.read())
        if (done) return unanswered(`${what} was cut.`)
        for (const heard of reader.read(decoder.decode(value, { stream: true }))) {
          if (heard !== "comment" && heard.event === "end") return ending(heard.data)
          progress.silent = 0
          if (heard === "comment") continue
          const event = readEvent(heard.data)
          if (event === undefined) return unreadable(response, "an event that can't be read")
          progress.after = event.position
          yield event
        }
      }
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      const why = late ? `nothing came for ${silence} ms` : reasonOf(cause)
      return unanswered(`${what} was cut: ${why}. Does the service run at the baseUrl?`, late ? undefined : cause)
    } finally {
      signal?.removeEventListener("abort", stop)
      controller.abort()
    }
  }
}
