import {
  APIError,
  AuthenticationError,
  CacheUnavailableError,
  ConflictError,
  type FieldError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  type ServiceError,
  ValidationError
} from "./errors.ts"
import { withoutKeys } from "./log.ts"
import { isTransient, retryAfterOf } from "./retry.ts"

/** Why a try brought no result, and whether another may. */
export interface Failure {
  readonly error: ServiceError
  readonly transient: boolean
  /** Whole seconds, as the answer asks. */
  readonly retryAfter: number | null
}

const field = (body: unknown, name: string): string | null => {
  const value = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined
  return typeof value === "string" && value !== "" ? value : null
}

const fieldErrors = (body: unknown): ReadonlyArray<FieldError> => {
  const { errors } = body as { readonly errors?: unknown }
  return (Array.isArray(errors) ? errors : []).map((error) => ({
    field: field(error, "field") ?? "",
    message: field(error, "message") ?? ""
  }))
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const requestIdOf = (response: Response): string | null => response.headers.get("x-request-id")

/** The beginning of a text that isn't the service's, for a message. */
export const excerpt = (text: string): string => withoutKeys(text.replace(/\s+/g, " ").trim().slice(0, 200))

const answered = (status: number, text: string, what: string): string =>
  `${what} was answered with ${status}${text.trim() === "" ? "" : `: ${excerpt(text)}`}.`

/** Browsers say of a redirect only that it is one. */
const isRedirect = ({ status, type }: Response): boolean => type === "opaqueredirect" || (status >= 300 && status < 400)

/** Without path and query of where it leads: a page that asks for a log-in has secrets there. */
const redirected = ({ headers }: Response, what: string): string => {
  const location = headers.get("location") ?? ""
  const where = URL.canParse(location) ? ` to ${new URL(location).origin}` : ""
  return `${what} was redirected${where}, which is not followed: what a call sends is for one address. Is baseUrl right?`
}

const refusals: { readonly [status: number]: typeof APIError } = {
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError
}

/** What an answer that is no 2xx means. `what` names the request, e.g. `POST /api/retrieve/search`. */
export const refusal = (response: Response, text: string, what: string, now: number): Failure => {
  const { status } = response
  const body = parsed(text)
  const code = field(body, "code")
  const details = { code, statusCode: status, requestId: field(body, "request_id") ?? requestIdOf(response) }
  const said = field(body, "message") ?? field(body, "detail")
  const message = said ?? (isRedirect(response) ? redirected(response, what) : answered(status, text, what))
  const retryAfter = retryAfterOf(response.headers.get("retry-after"), now)
  const error = (): ServiceError => {
    if (status === 401) return new AuthenticationError(message, details)
    if (status === 429) return new RateLimitError(message, retryAfter, details)
    if (status >= 500) return new CacheUnavailableError(message, status, retryAfter, details)
    if (status === 400 && code?.startsWith("validation/")) {
      return new ValidationError(message, field(body, "field"), { ...details, errors: fieldErrors(body) })
    }
    const Refusal = refusals[status] ?? APIError
    return new Refusal(message, status, details)
  }
  return { error: error(), transient: isTransient(status, code, response.headers.get("x-should-retry")), retryAfter }
}

/** `fetch` says only that it failed; why is in its cause. */
export const reasonOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return withoutKeys(inner instanceof Error ? inner.message || inner.name : String(inner))
}

/** No answer at all. */
export const unanswered = (message: string, cause?: unknown): Failure => ({
  error: new CacheUnavailableError(message, null, null, { cause }),
  transient: true,
  retryAfter: null
})
