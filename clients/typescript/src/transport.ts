import { type Answered, APIPromise } from "./APIPromise.ts"
import { exchange } from "./exchange.ts"
import { type Failure, reasonOf, refusal, requestIdOf, unanswered } from "./failure.ts"
import { redacted } from "./log.ts"
import { checkedRetries, checkedTimeout, type RequestOptions, type Settings, usualTimeout } from "./options.ts"
import { withRequestId } from "./Result.ts"
import { bodyOf, type Call, headersOf, resultOf, urlOf } from "./request.ts"
import { waitBefore } from "./retry.ts"
import { waitFor } from "./waiting.ts"

type Outcome = ({ readonly _tag: "Answered" } & Answered) | ({ readonly _tag: "Failed" } & Failure)

const failed = (failure: Failure): Outcome => ({ _tag: "Failed", ...failure })

interface Attempt {
  /** For messages and log lines: method and path, without the query. */
  readonly what: string
  readonly url: string
  readonly init: RequestInit
  readonly as: "json" | "bytes"
  readonly accepts: Call<unknown>["accepts"]
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
  send<T>(make: () => Call<T> | Promise<Call<T>>, options: RequestOptions = {}): APIPromise<T> {
    const made = (async () => make())()
    return new APIPromise(
      made.then((call) => this.#send(call, options)),
      async ({ response, body }) => withRequestId(resultOf(await made, response, body), requestIdOf(response))
    )
  }

  async #send(call: Call<unknown>, options: RequestOptions): Promise<Answered> {
    const { baseUrl, clock, log, ...settings } = this.#settings
    const headers = headersOf(this.#settings, call, options)
    const attempt: Attempt = {
      what: `${call.method} ${call.path}`,
      url: urlOf(baseUrl, call.path, call.query),
      // a redirect that is followed would take the body along, to whoever it leads to, or make a read of a write
      init: { method: call.method, headers, redirect: "manual", ...bodyOf(call) },
      as: call.answer.as,
      accepts: call.accepts,
      timeout: checkedTimeout(options.timeout) ?? settings.timeout ?? call.timeout ?? usualTimeout,
      signal: options.signal
    }
    const retries = checkedRetries(options.maxRetries ?? settings.maxRetries)
    log.debug(`${attempt.what} is sent`, { headers: redacted(headers), timeout: attempt.timeout, maxRetries: retries })
    for (let tries = 0; ; tries++) {
      options.signal?.throwIfAborted()
      const outcome = await this.#try(attempt)
      if (outcome._tag === "Answered") return outcome
      const wait = tries < retries && outcome.transient ? waitBefore(tries, outcome.retryAfter, clock.random()) : null
      await waitFor(this.#settings, wait, { what: attempt.what, error: outcome.error, tries }, options.signal)
    }
  }

  /** One try, up to the last byte of its answer. Fails only with the reason of the caller's own signal. */
  async #try({ what, url, init, as, accepts, timeout, signal }: Attempt): Promise<Outcome> {
    const { fetch, clock, log } = this.#settings
    const controller = new AbortController()
    const stop = () => controller.abort(signal?.reason)
    const begun = clock.now()
    const cancel = clock.timeout(timeout, () => {
      controller.abort(new DOMException(`No answer within ${timeout} ms.`, "TimeoutError"))
    })
    signal?.addEventListener("abort", stop, { once: true })
    // a fetch that does not listen to its signal must not outlast it
    const ended = new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason), { once: true })
    })
    try {
      const answering = exchange(fetch, clock, url, { ...init, signal: controller.signal }, as)
      const { response, body } = await Promise.race([answering, ended])
      log.debug(`${what} was answered with ${response.status}`, {
        requestId: requestIdOf(response),
        milliseconds: clock.now() - begun
      })
      if (response.ok || accepts?.(response.status, body as string)) return { _tag: "Answered", response, body }
      return failed(refusal(response, body as string, what, clock.now()))
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (controller.signal.aborted) {
        const message = `${what} had no answer within ${timeout} ms. Is the service busy? A longer timeout may help.`
        return failed(unanswered(message, controller.signal.reason))
      }
      const message = `${what} had no answer: ${reasonOf(cause)}. Does the service run at ${new URL(url).origin}?`
      return failed(unanswered(message, cause))
    } finally {
      cancel()
      signal?.removeEventListener("abort", stop)
    }
  }
}
