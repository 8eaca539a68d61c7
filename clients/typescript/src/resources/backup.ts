import { APIError } from "../errors.ts"
import { type Failure, reasonOf, refusal, requestIdOf, unanswered } from "../failure.ts"
import { checkedRetries, checkedTimeout, type RequestOptions, type Settings } from "../options.ts"
import { patience } from "../patience.ts"
import { bytes, headersOf, urlOf } from "../request.ts"
import { waitBefore } from "../retry.ts"
import { waitFor } from "../waiting.ts"

/** For whom a backup is encrypted. */
export interface BackupParams {
  /** A recipient of age (`age1…`), or several with commas between. Without one the backup is not encrypted. */
  readonly recipient?: string | undefined
}

/** Milliseconds in which nothing comes: the service reads all of a repository before it sends it. */
const usualSilence = 600_000

const what = "GET /api/admin/backup"

/**
 * A whole backup of the service as a tar, piece by piece, as it is made. It is sent once: what was cut can't be gone on
 * with, and has no manifest at its end, which `cairn restore` sees. It may be silent for `timeout`, by default ten
 * minutes; over Node's own `fetch`, for five at most (see `CairnOptions.timeout`).
 */
export class Backup implements AsyncIterable<Uint8Array> {
  readonly #settings: Settings
  readonly #params: BackupParams
  readonly #options: RequestOptions

  /** @internal */
  constructor(settings: Settings, params: BackupParams, options: RequestOptions = {}) {
    this.#settings = settings
    this.#params = params
    this.#options = options
  }

  /**
   * The pieces, one after the other. Each time it is iterated another backup is made.
   * @throws {@link PermissionDeniedError}: `permission/…`.
   * @throws {@link ConflictError}: `conflict/backup_running`.
   * @throws {@link CacheUnavailableError}: It was cut; what came is no backup.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const { baseUrl, clock, fetch, maxRetries, timeout } = this.#settings
    const { signal } = this.#options
    const call = { method: "GET", path: "/api/admin/backup", mediaType: "application/x-tar", answer: bytes } as const
    const headers = headersOf(this.#settings, call, this.#options)
    const silence = checkedTimeout(this.#options.timeout) ?? timeout ?? usualSilence
    const retries = checkedRetries(this.#options.maxRetries ?? maxRetries)
    for (let tries = 0; ; tries++) {
      signal?.throwIfAborted()
      const held = patience(clock, silence, signal)
      let failure: Failure
      let begun = false
      try {
        const url = urlOf(baseUrl, call.path, { recipient: this.#params.recipient })
        const response = await held.inTime(
          fetch(url, { method: call.method, headers, redirect: "manual", signal: held.signal })
        )
        if (response.ok) {
          if (response.body === null || !response.headers.get("content-type")?.startsWith("application/x-tar")) {
            const message = `${what} was answered with what is no archive. Is baseUrl right?`
            throw new APIError(message, response.status, { requestId: requestIdOf(response) })
          }
          const pieces = response.body.getReader()
          for (;;) {
            const { done, value } = await held.inTime(pieces.read())
            if (done) return
            begun = true
            yield value
          }
        }
        failure = refusal(response, await held.inTime(response.text()), what, clock.now())
      } catch (cause) {
        if (signal?.aborted) throw signal.reason
        if (cause instanceof APIError) throw cause
        const late = held.late()
        const why = late ? `nothing came for ${silence} ms` : reasonOf(cause)
        failure = unanswered(`${what} was cut: ${why}. What came is no backup.`, late ? undefined : cause)
      } finally {
        held.end()
      }
      const { error, transient, retryAfter } = failure
      const wait = transient && !begun && tries < retries ? waitBefore(tries, retryAfter, clock.random()) : null
      await waitFor(this.#settings, wait, { what, error, tries }, signal)
    }
  }
}
