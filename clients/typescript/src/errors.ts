/**
 * What a call of this library can fail with:
 *
 * ```text
 * ServiceError            anything of the below            code, statusCode, requestId
 * ├─ APIError             the service refused (4xx), or answered what no client can read
 * │  ├─ PermissionDeniedError  403: the key may not do this
 * │  ├─ NotFoundError          404: there is none, or none that this key sees
 * │  └─ ConflictError          409: what is there already is against it
 * ├─ AuthenticationError  401: no API key, or one that is not valid (any more)
 * ├─ RateLimitError       429, also after the retries      retryAfter
 * ├─ ValidationError      400 `validation/*`: a field of the request is wrong; or an option, unsent      field, errors
 * └─ CacheUnavailableError  no answer (network, timeout) or a 5xx, also after the retries      retryAfter
 * ```
 *
 * A call that its own `signal` ended fails with that signal's reason, as `fetch` does, and with none of these.
 */

/** What is wrong with one field of a request. */
export interface FieldError {
  /** A path in the request as it is sent, such as `file_written.path`. */
  readonly field: string
  /** What was wrong, what was expected, how to mend it. */
  readonly message: string
}

/** What every error has beside its message. */
export interface ErrorDetails {
  /** The service's `area/reason`, e.g. `not_found/snippet`; `null` when the answer had none, or when there was none. */
  readonly code?: string | null
  /** The last answer's HTTP status; `null` when there was none. */
  readonly statusCode?: number | null
  /** The answer's `request_id`, for the service's operator; `null` when there was no answer. */
  readonly requestId?: string | null
  /** Of a `ValidationError`: every field that is wrong. */
  readonly errors?: ReadonlyArray<FieldError>
  /** What it comes from, such as the error of `fetch`. */
  readonly cause?: unknown
}

/**
 * Base of all errors of this library: {@link APIError}, {@link AuthenticationError}, {@link RateLimitError},
 * {@link ValidationError} and {@link CacheUnavailableError} extend it; {@link PermissionDeniedError},
 * {@link NotFoundError} and {@link ConflictError} extend {@link APIError}.
 */
export class ServiceError extends Error {
  // written out, here and below: a bundler may shorten the names of classes
  /** `ServiceError`. */
  override readonly name: string = "ServiceError"
  /** The service's `area/reason`, e.g. `not_found/snippet`; `null` when the answer had none, or when there was none. */
  readonly code: string | null
  /** The last answer's HTTP status; `null` when there was no answer, or nothing was sent. */
  readonly statusCode: number | null
  /** The answer's `request_id`, for the service's operator; `null` when there was no answer. */
  readonly requestId: string | null

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code ?? null
    this.statusCode = details.statusCode ?? null
    this.requestId = details.requestId ?? null
  }
}

/** The service refused the request, or answered what is no answer of it. */
export class APIError extends ServiceError {
  /** `APIError`. */
  override readonly name: string = "APIError"
  /** The answer's HTTP status. 2xx when the answer itself could not be read. */
  declare readonly statusCode: number

  constructor(message: string, statusCode: number, details?: ErrorDetails) {
    super(message, { ...details, statusCode })
  }
}

/** The key may not do this: 403. `code` says what it would take, e.g. `permission/admin_key_required`. */
export class PermissionDeniedError extends APIError {
  /** `PermissionDeniedError`. */
  override readonly name: string = "PermissionDeniedError"
}

/** There is no such thing, or none that this key sees: 404. `code` says of what kind, e.g. `not_found/snippet`. */
export class NotFoundError extends APIError {
  /** `NotFoundError`. */
  override readonly name: string = "NotFoundError"
}

/** What is there already is against it: 409. `code` says what, e.g. `conflict/ambiguous_name`. */
export class ConflictError extends APIError {
  /** `ConflictError`. */
  override readonly name: string = "ConflictError"
}

/** No API key, or one that is not valid (any more). */
export class AuthenticationError extends ServiceError {
  /** `AuthenticationError`. */
  override readonly name: string = "AuthenticationError"
}

/** The service can't be reached, did not answer in time, or failed (5xx). */
export class CacheUnavailableError extends ServiceError {
  /** `CacheUnavailableError`. */
  override readonly name: string = "CacheUnavailableError"
  /** Whole seconds after which it may work, when the last answer said so; else `null`. */
  readonly retryAfter: number | null

  constructor(
    message: string,
    statusCode: number | null = null,
    retryAfter: number | null = null,
    details?: ErrorDetails
  ) {
    super(message, { ...details, statusCode })
    this.retryAfter = retryAfter
  }
}

/** Too many requests. */
export class RateLimitError extends ServiceError {
  /** `RateLimitError`. */
  override readonly name: string = "RateLimitError"
  /** Whole seconds until the next request is taken; `null` when the answer does not say. */
  readonly retryAfter: number | null

  constructor(message: string, retryAfter: number | null = null, details?: ErrorDetails) {
    super(message, details)
    this.retryAfter = retryAfter
  }
}

/** The request, or an option of the client, is wrong. */
export class ValidationError extends ServiceError {
  /** `ValidationError`. */
  override readonly name: string = "ValidationError"
  /**
   * The first field that is wrong: a path in the request as it is sent, such as `file_written.path`, or the option's
   * name when nothing was sent; `null` when it is no field's fault.
   */
  readonly field: string | null
  /** Every field that is wrong, when the service says so; else none. */
  readonly errors: ReadonlyArray<FieldError>

  constructor(message: string, field: string | null = null, details?: ErrorDetails) {
    super(message, details)
    this.field = field
    this.errors = details?.errors ?? []
  }
}
