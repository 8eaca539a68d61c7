import { APIError } from "../errors.ts"
import { type Failure, reasonOf, refusal, requestIdOf, unanswered } from "../failure.ts"
import { checkedRetries, checkedTimeout, type RequestOptions, type Settings, usualTimeout } from "../options.ts"
import { patience } from "../patience.ts"
import { bodyOf, type Call, headersOf, json, urlOf } from "../request.ts"
import { waitBefore } from "../retry.ts"
import { waitFor } from "../waiting.ts"
import { type Message, MessageReader } from "./messages.ts"

/** Milliseconds. The service says every 15 s that it is there, so a shorter silence tells nothing. */
const shortestTimeout = 45_000

/** What a message means: something for whoever listens, the last of it, why the connection ends, or nothing. */
export type Meaning<T> =
  | { readonly _tag: "Given" | "Last"; readonly value: T }
  | { readonly _tag: "Ended"; readonly failure: Failure }
  | { readonly _tag: "Unreadable" }
  | undefined

/** What is streamed, over however many connections. */
export interface Streamed<T> {
  /** What the next connection asks for. */
  readonly call: () => Omit<Call<never>, "answer" | "timeout">
  readonly read: (message: Message) => Meaning<T>
}

export const lasting = (error: Failure["error"]): Failure => ({ error, transient: false, retryAfter: null })

/** How far a stream has come: connections in a row over which nothing was heard, and whether its last message was. */
interface Progress {
  silent: number
  over: boolean
}

/** What comes over one connection, and why no more does. Fails only with the reason of the caller's own signal. */
const connection = async function* <T>(
  { call, read }: Streamed<T>,
  settings: Settings,
  { signal, ...options }: RequestOptions,
  progress: Progress
): AsyncGenerator<T, Failure | undefined, undefined> {
  const { baseUrl, clock, fetch, log, timeout } = settings
  signal?.throwIfAborted()
  const sent = { ...call(), mediaType: "text/event-stream", answer: json(() => undefined) }
  const { method, path, query } = sent
  const what = `${method} ${path}`
  const unreadable = (response: Response, found: string): Failure =>
    lasting(
      new APIError(`${what} was answered with ${found}. Is baseUrl right?`, response.status, {
        requestId: requestIdOf(response)
      })
    )
  const headers = headersOf(settings, sent, options)
  const silence = Math.max(checkedTimeout(options.timeout) ?? timeout ?? usualTimeout, shortestTimeout)
  const held = patience(clock, silence, signal)
  try {
    const init = { method, headers, redirect: "manual", signal: held.signal, ...bodyOf(sent) } as const
    const response = await held.inTime(fetch(urlOf(baseUrl, path, query), init))
    log.debug(`${what} was answered with ${response.status}`, { requestId: requestIdOf(response) })
    if (!response.ok) return refusal(response, await held.inTime(response.text()), what, clock.now())
    if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      return unreadable(response, "what is no stream of events")
    }
    const pieces = response.body.getReader()
    const decoder = new TextDecoder()
    const reader = new MessageReader()
    for (;;) {
      const { done, value } = await held.inTime(pieces.read())
      if (done) return unanswered(`${what} was cut.`)
      for (const heard of reader.read(decoder.decode(value, { stream: true }))) {
        const meaning = heard === "comment" ? undefined : read(heard)
        if (meaning?._tag === "Ended") return meaning.failure
        progress.silent = 0
        if (meaning === undefined) continue
        if (meaning._tag === "Unreadable") return unreadable(response, "an event that can't be read")
        if (meaning._tag === "Last") progress.over = true
        yield meaning.value
        if (progress.over) return undefined
      }
    }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    const late = held.late()
    const why = late ? `nothing came for ${silence} ms` : reasonOf(cause)
    return unanswered(`${what} was cut: ${why}. Does the service run at the baseUrl?`, late ? undefined : cause)
  } finally {
    held.end()
  }
}

/**
 * What is streamed, for as long as it is taken, up to its last message if it has one. A connection that is cut is made
 * again; it fails when so many in a row brought nothing as `maxRetries` allows.
 */
export const connections = async function* <T>(
  streamed: Streamed<T>,
  settings: Settings,
  options: RequestOptions
): AsyncGenerator<T, void, undefined> {
  const { clock, maxRetries } = settings
  const retries = checkedRetries(options.maxRetries ?? maxRetries)
  const progress: Progress = { silent: 0, over: false }
  for (;;) {
    const failure = yield* connection(streamed, settings, options, progress)
    if (failure === undefined) return
    const { error, transient, retryAfter } = failure
    const wait = transient && progress.silent < retries ? waitBefore(progress.silent, retryAfter, clock.random()) : null
    const { method, path } = streamed.call()
    await waitFor(settings, wait, { what: `${method} ${path}`, error, tries: progress.silent++ }, options.signal)
  }
}
