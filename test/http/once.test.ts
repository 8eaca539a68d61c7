import { EventEmitter } from "node:events"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { keyedDigest } from "#domain/Id.ts"
import { type KnownRequest, Requests } from "#ports/Requests.ts"
import { Caller, CallerScope, WriteIdentity } from "#src/api/middleware.ts"
import { valueDigest } from "#src/http/middleware/body/digest.ts"
import { once } from "#src/http/middleware/idempotency.ts"

const holder = { tenant: "t", organization: "t", user: "u", email: "o@example.org", key: "k", role: "owner" }
const secret = "of the organization"
const scope = { home: "t", homes: ["t"], includePublic: false, agent: null, workspace: null }
const route = "POST /api/somewhere"
const body = { a: 1 }

interface Carried {
  readonly n: number
  readonly fingerprint: string | null
  readonly before?: string
  readonly early: ReadonlyArray<number>
  readonly delivered: ReadonlyArray<number>
}

/** Carries a write out; tells as which one, and what was noted as delivered when the answer had left. */
const carried = (
  answer: { readonly statusCode: number; readonly destroyed?: boolean },
  known?: KnownRequest,
  key = known && "key"
) => {
  const delivered: Array<number> = []
  const response = Object.assign(new EventEmitter(), {
    statusCode: answer.statusCode,
    socket: { destroyed: answer.destroyed ?? false }
  })
  const requests = Requests.of({
    find: () => Effect.succeed(known),
    delivered: (_digest, n) => void delivered.push(n)
  })
  return once({ route, body, key }, WriteIdentity).pipe(
    Effect.map(({ request, before }) => {
      const early = [...delivered]
      response.emit("finish")
      return { n: request.n, fingerprint: request.fingerprint, before, early, delivered }
    }),
    Effect.provideService(Requests, requests),
    Effect.provideService(Caller as never, { ...holder, secret } as never),
    Effect.provideService(CallerScope as never, scope as never),
    Effect.provideService(HttpServerRequest.HttpServerRequest as never, { response } as never)
  ) as Effect.Effect<Carried, { code: string }>
}

it.effect("a write is delivered when the answer to its success has left, and reached somebody", () =>
  Effect.gen(function* () {
    for (const statusCode of [200, 204]) {
      const { early, delivered } = yield* carried({ statusCode })
      assert.deepStrictEqual([early, delivered], [[], [0]])
    }
    for (const answer of [
      { statusCode: 303 },
      { statusCode: 409 },
      { statusCode: 503 },
      { statusCode: 200, destroyed: true }
    ])
      assert.isEmpty((yield* carried(answer)).delivered, JSON.stringify(answer))
  })
)

it.effect("a key whose fingerprint was noted before an upgrade stands for its request, and for no other", () =>
  Effect.gen(function* () {
    const known = (sent: string) => ({
      n: 0,
      fingerprint: keyedDigest(secret, JSON.stringify(["body", JSON.stringify([route, scope, sent])])),
      stream: "the first",
      delivered: true,
      recordedAt: 0
    })
    const sent = yield* valueDigest(secret, body)
    assert.deepInclude(yield* carried({ statusCode: 200 }, known(sent)), { n: 0, before: "the first" })
    const other = yield* Effect.flip(carried({ statusCode: 200 }, known("of another body")))
    assert.strictEqual(other.code, "conflict/idempotency_key_reused")
  })
)

it.effect("a key's fingerprint can't be made without the key: the log does not tell what was sent", () =>
  Effect.gen(function* () {
    const of = (key: string | undefined) =>
      Effect.map(carried({ statusCode: 200 }, undefined, key), (one) => one.fingerprint)
    const [one, again, other] = [yield* of("one"), yield* of("one"), yield* of("other")]
    assert.isString(one)
    assert.strictEqual(again, one)
    assert.notStrictEqual(other, one)
    assert.isNull(yield* of(undefined))
  })
)
