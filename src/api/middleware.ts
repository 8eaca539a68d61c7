import { Context, type Effect, Schema, SchemaGetter } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, HttpApiSchema, HttpApiSecurity } from "effect/http-api"
import type { Holder, Scope } from "#domain/Scope.ts"
import type { RequestIdentity } from "#engine/Event.ts"
import { meanings } from "./meanings.ts"
import { bodyOf, Problem, ProblemBody } from "./Problem.ts"

/** An error answer: handlers fail with a `Problem`, and the caller gets its body. */
const problem = (status: number, identifier: string) =>
  ProblemBody.annotate({ identifier, description: meanings[status] }).pipe(
    Schema.decodeTo(Schema.instanceOf(Problem), {
      decode: SchemaGetter.transform(
        ({ code, message, errors }) => new Problem({ code: code as Problem["code"], message, errors })
      ),
      encode: SchemaGetter.transform((problem) => bodyOf(problem, ""))
    }),
    HttpApiSchema.status(status)
  )

/** The error answers that any route may give. All have one body. */
const problems = [
  problem(400, "BadRequest"),
  problem(404, "NotFound"),
  problem(405, "MethodNotAllowed"),
  problem(409, "Conflict"),
  problem(408, "TooSlow"),
  problem(413, "TooLarge"),
  problem(415, "UnsupportedType"),
  problem(421, "Misdirected"),
  problem(431, "HeadTooLarge"),
  problem(500, "InternalError"),
  problem(503, "Unavailable"),
  problem(507, "DiskFull")
] as const

/** The answer of routes that heed `If-Match` and `If-None-Match`. */
export const preconditionFailed = problem(412, "PreconditionFailed")

/** Outermost: turns every failure into the one error body, and gives the request its id. */
export class Problems extends HttpApiMiddleware.Service<Problems>()("cairn/Problems", { error: problems }) {}

/** The JSON value of the request's body; `undefined` where there is none. */
export class Received extends Context.Service<Received, { readonly value: unknown }>()("cairn/Received") {}

/**
 * Runs before anything looks at the body: checks that it is JSON, is within the route's limits, and has no unknown
 * field.
 */
export class WellFormed extends HttpApiMiddleware.Service<WellFormed, { provides: Received }>()("cairn/WellFormed") {}

/** The key's holder, and what its request may touch. */
export class Caller extends Context.Service<Caller, Holder>()("cairn/Caller") {}

/** Finds the holder of the key that is the bearer token; without a live key the answer is 401. */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Caller }>()(
  "cairn/Authentication",
  {
    security: { bearer: HttpApiSecurity.bearer },
    error: [problem(401, "Unauthorized"), problem(403, "Forbidden")]
  }
) {}

/** Counts the requests of each key, by the class of their route. */
export class RequestRates extends Context.Service<
  RequestRates,
  {
    /** Requests a minute by their kind; `Infinity`: any number. */
    readonly rates: { readonly [kind: string]: number }
    /**
     * Counts a request of the caller's key as one to `path`. Fails with `rate_limit/exceeded` when it is one too many
     * in the last minute.
     */
    readonly count: (path: string) => Effect.Effect<void, Problem, Caller>
  }
>()("cairn/RequestRates") {}

/** Bounds the requests a minute, by key and path. */
export class Rate extends HttpApiMiddleware.Service<Rate, { requires: Caller }>()("cairn/Rate", {
  error: [problem(429, "RateLimited")]
}) {}

/** Counts requests without a key, by the client's address. */
export class AddressRates extends Context.Service<
  AddressRates,
  {
    /** Fails with `rate_limit/exceeded` when this request is one too many in the last minute. */
    readonly count: Effect.Effect<void, Problem, HttpServerRequest.HttpServerRequest>
  }
>()("cairn/AddressRates") {}

/** Bounds the requests a minute without a key, by the client's address. */
export class AddressRate extends HttpApiMiddleware.Service<AddressRate>()("cairn/AddressRate", {
  error: [problem(403, "Forbidden"), problem(429, "RateLimited")]
}) {}

/** Which homes the request writes to and sees, by its headers. */
export class CallerScope extends Context.Service<CallerScope, Scope>()("cairn/CallerScope") {}

/** Which snippets the request's headers open. */
export class Scoping extends HttpApiMiddleware.Service<Scoping, { requires: Caller; provides: CallerScope }>()(
  "cairn/Scoping"
) {}

/** The identity of a write. The same request, sent again before its answer was delivered, is the same write. */
export class WriteIdentity extends Context.Service<
  WriteIdentity,
  {
    readonly commandId: string
    /** What is noted with the append, so that a repeated request finds its command. */
    readonly request: RequestIdentity
    /** The stream that the same request wrote to before. */
    readonly before: string | undefined
  }
>()("cairn/WriteIdentity") {}

/** Gives a write its identity, which is the same each time it is sent. */
export class Idempotency extends HttpApiMiddleware.Service<
  Idempotency,
  { requires: Caller | CallerScope | Received; provides: WriteIdentity }
>()("cairn/Idempotency") {}
