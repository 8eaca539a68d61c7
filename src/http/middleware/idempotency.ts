import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { keyedDigest } from "#domain/Id.ts"
import type { Holder, Scope } from "#domain/Scope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { type KnownRequest, Requests } from "#ports/Requests.ts"
import { Caller, CallerScope, Idempotency, Received, WriteIdentity } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { valueDigest } from "./body/digest.ts"

/** How long an identical write is the same write, while its answer was not delivered. */
const windowOfSame = 10 * 60_000
/** How long an idempotency key stands for its first request. */
const windowOfKey = 24 * 3_600_000

const header = "Idempotency-Key"
const malformed = fieldProblem(
  "validation/invalid_field",
  header,
  `${header} is empty or longer than 255 characters. Send 1 to 255 characters, new ones for each write.`
)
const reused = fieldProblem(
  "conflict/idempotency_key_reused",
  header,
  `This ${header} came with another request in the last 24 hours. Send a new one for a new request.`
)
const unavailable = new Problem({
  code: "unavailable/store",
  message: "The service can't reach its store at the moment. Send the same request again.",
  retryAfter: 1
})
interface Identity {
  readonly digest: string
  readonly fingerprint: string | null
  /**
   * The fingerprint that older versions stored, without the key or the query: compared for a day after an upgrade. None
   * that is stored now is one of these.
   */
  readonly formerly: string | null
  readonly window: number
}

/** `body` is the digest of what was sent. */
const identify = (holder: Holder, scope: Scope, { route, query, key }: Omit<Write, "body">, body: string): Identity => {
  const whatBy = (route: string) => JSON.stringify([route, scope, body])
  const what = whatBy(query ? `${route}?${query}` : route)
  const digestOf = (...parts: ReadonlyArray<string>) => keyedDigest(holder.secret, JSON.stringify(parts))
  return key === undefined
    ? { digest: digestOf("same", holder.key, what), fingerprint: null, formerly: null, window: windowOfSame }
    : {
        digest: digestOf("key", holder.key, key),
        // the key is kept nowhere, so nobody can tell from the log whether an erased text was a certain one
        fingerprint: digestOf("body", key, query === undefined ? what : whatBy(`${route}?${query}`)),
        formerly: query === undefined ? digestOf("body", what) : digestOf("body", key, whatBy(route)),
        window: windowOfKey
      }
}

/** The number of this write among identical ones: that of the last one, as long as its answer may not have arrived. */
export const numberOf = (
  known: KnownRequest | undefined,
  { fingerprint, window }: Pick<Identity, "fingerprint" | "window">,
  now: number
): number => {
  if (known === undefined) return 0
  const over = now - known.recordedAt > window
  const done = fingerprint === null && known.delivered
  return over || done ? known.n + 1 : known.n
}

/** What tells a write from others of the same caller and scope. */
interface Write {
  readonly route: string
  /** What its query says, of a route that takes one; by default nothing. */
  readonly query?: string
  /** A JSON value. */
  readonly body: unknown
  readonly key: string | undefined
}

/** Requests with an idempotency key that this process is carrying out: no digest is of two installations. */
const underWay = new Map<string, { readonly fingerprint: string | null; count: number }>()

/**
 * Refuses a write while another one with its key is carried out: both would find that the log has none, and one would
 * be answered for what the other did.
 */
const unlessUnderWay = <A, E, R>({ digest, fingerprint }: Identity, write: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.suspend(() => {
      const other = underWay.get(digest)
      if (other !== undefined && other.fingerprint !== fingerprint) return Effect.fail(reused)
      const mine = other ?? { fingerprint, count: 0 }
      mine.count++
      underWay.set(digest, mine)
      return Effect.succeed(mine)
    }),
    () => write,
    (mine) =>
      Effect.sync(() => {
        mine.count--
        if (mine.count === 0) underWay.delete(digest)
      })
  )

/** Carries out a write under its identity. It is delivered once the answer to a successful request has left. */
export const once = <A, E, R>({ body, ...rest }: Write, write: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const caller = yield* Caller
    const identity = identify(caller, yield* CallerScope, rest, yield* valueDigest(caller.secret, body))
    const carriedOut = underIdentity(identity, write)
    return yield* rest.key === undefined ? carriedOut : unlessUnderWay(identity, carriedOut)
  })

const underIdentity = <A, E, R>(identity: Identity, write: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const requests = yield* Requests
    const request = yield* HttpServerRequest.HttpServerRequest
    const known = yield* Effect.mapError(requests.find(identity.digest), () => unavailable)
    const n = numberOf(known, identity, yield* Clock.currentTimeMillis)
    const { digest, fingerprint, formerly } = identity
    const before = known?.n === n ? known : undefined
    if (before !== undefined && before.fingerprint !== fingerprint && before.fingerprint !== formerly)
      return yield* reused
    const done = yield* Effect.provideService(write, WriteIdentity, {
      commandId: derivedId("request", digest, n),
      request: { digest, n, fingerprint },
      before: before?.stream
    })
    const answer = NodeHttpServerRequest.toServerResponse(request)
    answer.once("finish", () => {
      if (answer.statusCode < 300 && !answer.socket?.destroyed) requests.delivered(digest, n)
    })
    return done
  })

/**
 * Gives each write its command id. The same write sent again gets the same one: clients that time out re-send, and must
 * not write twice. Only ids are kept; the answer comes from the command's events.
 */
export const layer = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const requests = yield* Requests
    return ((httpEffect, { endpoint }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const key = request.headers[header.toLowerCase()]
        if (key !== undefined && (key.length === 0 || key.length > 255)) return yield* malformed
        const { value } = yield* Received
        const conditions = ["if-match", "if-none-match"].map((name) => request.headers[name] ?? null)
        // with other conditions it is another write
        const body = conditions.some((one) => one !== null) ? [value ?? null, ...conditions] : value
        // the path as it came: a route's pattern is the same for all ids
        const [path, asked] = request.url.split(/\?(.*)/s)
        const query = new URLSearchParams(asked)
        query.sort()
        const route = `${endpoint.method} ${path}`
        const write = { route, ...(endpoint.query !== undefined && { query: query.toString() }), body, key }
        return yield* once(write, httpEffect).pipe(Effect.provideService(Requests, requests))
      })) as Idempotency["Service"]
  })
)
