/**
 * What a call of this library can fail with. Each kind extends `ServiceError` directly:
 *
 * ```text
 * ServiceError            anything of the below            code, requestId
 * ├─ APIError             the service refused (4xx), or answered what no client can read      statusCode
 * ├─ AuthenticationError  401: no API key, or one that is not valid (any more)
 * ├─ RateLimitError       429, also after the retries      retryAfter
 * ├─ ValidationError      400 `validation/*`: a field of the request is wrong; or an option, before anything is sent      field
 * └─ CacheUnavailableError  no answer (network, timeout) or a 5xx, also after the retries      statusCode, retryAfter
 * ```
 *
 * A call that its own `signal` ended fails with that signal's reason, as `fetch` does, and with none of these.
 */

/** What every error has beside its message. */
export interface ErrorDetails {
  /** The service's `area/reason`, e.g. `not_found/snippet`; `null` when the answer had none, or when there was none. */
  readonly code?: string | null
  /** The answer's `request_id`, for the service's operator; `null` when there was no answer. */
  readonly requestId?: string | null
  /** What it comes from, such as the error of `fetch`. */
  readonly cause?: unknown
}

/** Base of all errors of this library. */
export class ServiceError extends Error {
  /** The service's `area/reason`, e.g. `not_found/snippet`; `null` when the answer had none, or when there was none. */
  readonly code: string | null
  /** The answer's `request_id`, for the service's operator; `null` when there was no answer. */
  readonly requestId: string | null

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = details.code ?? null
    this.requestId = details.requestId ?? null
  }
}

/** The service refused the request, or answered what is no answer of it. */
export class APIError extends ServiceError {
  /** The answer's HTTP status. 2xx when the answer itself could not be read. */
  readonly statusCode: number

  constructor(message: string, statusCode: number, details?: ErrorDetails) {
    super(message, details)
    this.statusCode = statusCode
  }
}

/** No API key, or one that is not valid (any more). */
export class AuthenticationError extends ServiceError {}

/** The service can't be reached, did not answer in time, or failed (5xx). */
export class CacheUnavailableError extends ServiceError {
  /** The last answer's HTTP status; `null` when there was no answer. */
  readonly statusCode: number | null
  /** Whole seconds after which it may work, when the last answer said so; else `null`. */
  readonly retryAfter: number | null

  constructor(
    message: string,
    statusCode: number | null = null,
    retryAfter: number | null = null,
    details?: ErrorDetails
  ) {
    super(message, details)
    this.statusCode = statusCode
    this.retryAfter = retryAfter
  }
}

/** Too many requests. */
export class RateLimitError extends ServiceError {
  /** Whole seconds until the next request is taken; `null` when the answer does not say. */
  readonly retryAfter: number | null

  constructor(message: string, retryAfter: number | null = null, details?: ErrorDetails) {
    super(message, details)
    this.retryAfter = retryAfter
  }
}

/** The request, or an option of the client, is wrong. */
export class ValidationError extends ServiceError {
  /**
   * The first field that is wrong: a path in the request as it is sent, such as `file_written.path`, or the option's name
   * when nothing was sent; `null` when it is no field's fault.
   */
  readonly field: string | null

  constructor(message: string, field: string | null = null, details?: ErrorDetails) {
    super(message, details)
    this.field = field
  }
}
