import { APIPromise, type WithResponse } from "./APIPromise.ts"
import type { ServiceError } from "./errors.ts"
import { type Failure, refusal, requestIdOf, unanswered } from "./failure.ts"
import { redacted, withoutKeys } from "./log.ts"
import { checkedRetries, checkedTimeout, type RequestOptions, type Settings } from "./options.ts"
import { withRequestId } from "./Result.ts"
import { bodyOf, type Call, headersOf, resultOf, urlOf } from "./request.ts"
import { waitBefore } from "./retry.ts"

/** Milliseconds, unless the call, the client or the route says otherwise. */
const usualTimeout = 60_000

type Outcome =
  | { readonly _tag: "Answered"; readonly response: Response; readonly body: string | Uint8Array }
  | ({ readonly _tag: "Failed" } & Failure)

const failed = (failure: Failure): Outcome => ({ _tag: "Failed", ...failure })

interface Attempt {
  /** For messages and log lines: method and path, without the query. */
  readonly what: string
  readonly url: string
  readonly init: RequestInit
  readonly as: "json" | "bytes"
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

/** Sends calls, again when that may help, and turns what comes back into results or `ServiceError`s. */
export class Transport {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** What is wrong with the arguments of a call fails it as anything else does: so it is made here. */
  send<T>(make: () => Call<T>, options: RequestOptions = {}): APIPromise<T> {
    return new APIPromise(this.#send(make, options))
  }

  async #send<T>(make: () => Call<T>, options: RequestOptions): Promise<WithResponse<T>> {
    const call = make()
    const { baseUrl, clock, log, ...settings } = this.#settings
    const headers = headersOf(this.#settings, call, options)
    const attempt: Attempt = {
      what: `${call.method} ${call.path}`,
      url: urlOf(baseUrl, call.path, call.query),
      init: { method: call.method, headers, ...bodyOf(call) },
      as: call.answer.as,
      timeout: checkedTimeout(options.timeout) ?? settings.timeout ?? call.timeout ?? usualTimeout,
      signal: options.signal
    }
    const retries = checkedRetries(options.maxRetries ?? settings.maxRetries)
    log.debug(`${attempt.what} is sent`, { headers: redacted(headers), timeout: attempt.timeout, maxRetries: retries })
    for (let tries = 0; ; tries++) {
      options.signal?.throwIfAborted()
      const outcome = await this.#try(attempt)
      if (outcome._tag === "Answered") {
        const { response, body } = outcome
        const requestId = requestIdOf(response)
        return { data: withRequestId(resultOf(call, response, body), requestId), response, requestId }
      }
      const wait = tries < retries && outcome.transient ? waitBefore(tries, outcome.retryAfter, clock.random()) : null
      if (wait === null) throw outcome.error
      log.info(`${attempt.what} is sent again in ${Math.round(wait)} ms`, why(outcome.error, tries))
      await clock.sleep(wait, options.signal)
    }
  }

  /** One try, up to the last byte of its answer. Fails only with the reason of the caller's own signal. */
  async #try({ what, url, init, as, timeout, signal }: Attempt): Promise<Outcome> {
    const { fetch, clock, log } = this.#settings
    const controller = new AbortController()
    const stop = () => controller.abort(signal?.reason)
    const begun = clock.now()
    let late = false
    const cancel = clock.timeout(timeout, () => {
      late = true
      controller.abort()
    })
    signal?.addEventListener("abort", stop, { once: true })
    // a fetch that does not listen to its signal must not outlast it
    const ended = new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true })
    })
    const exchange = async () => {
      const response = await fetch(url, { ...init, signal: controller.signal })
      const whole = as === "bytes" && response.ok
      return { response, body: whole ? new Uint8Array(await response.arrayBuffer()) : await response.text() }
    }
    try {
      const { response, body } = await Promise.race([exchange(), ended])
      log.debug(`${what} was answered with ${response.status}`, {
        requestId: requestIdOf(response),
        milliseconds: clock.now() - begun
      })
      if (response.ok) return { _tag: "Answered", response, body }
      return failed(refusal(response, body as string, what, clock.now()))
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      const message = late
        ? `${what} had no answer within ${timeout} ms. Is the service busy? A longer timeout may help.`
        : `${what} had no answer: ${reasonOf(cause)}. Does the service run at the baseUrl?`
      return failed(unanswered(message, late ? undefined : cause))
    } finally {
      cancel()
      signal?.removeEventListener("abort", stop)
    }
  }
}

/** `fetch` says only that it failed; why is in its cause. */
const reasonOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return withoutKeys(inner instanceof Error ? inner.message || inner.name : String(inner))
}

const why = ({ name, code, requestId }: ServiceError, tries: number) => ({
  error: name,
  code,
  requestId,
  tries: tries + 1
})
