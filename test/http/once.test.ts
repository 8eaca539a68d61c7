import { EventEmitter } from "node:events"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
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
  readonly before: string | undefined
  readonly early: ReadonlyArray<number>
  readonly delivered: ReadonlyArray<number>
}

/** As a request of the key's would have it carried out. */
const asked = <A, E, R>(write: Effect.Effect<A, E, R>, requests: typeof Requests.Service, response: EventEmitter) =>
  write.pipe(
    Effect.provideService(Requests, requests),
    Effect.provideService(Caller as never, { ...holder, secret } as never),
    Effect.provideService(CallerScope as never, scope as never),
    Effect.provideService(HttpServerRequest.HttpServerRequest as never, { response } as never)
  ) as Effect.Effect<A, E>

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
  const noted = once({ route, body, key }, WriteIdentity).pipe(
    Effect.map(({ request, before }): Carried => {
      const early = [...delivered]
      response.emit("finish")
      return { n: request.n, fingerprint: request.fingerprint, before, early, delivered }
    })
  )
  return asked(noted, requests, response)
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

it.effect("a key is of its writes under way until the last of them has ended: none with another body comes in", () =>
  Effect.gen(function* () {
    const requests = Requests.of({ find: () => Effect.undefined, delivered: () => {} })
    const sent = <A, E>(body: unknown, write: Effect.Effect<A, E>) =>
      asked(once({ route, body, key: "of several" }, write), requests, new EventEmitter())
    const [first, second] = [Deferred.makeUnsafe<void, string>(), Deferred.makeUnsafe<void, string>()]
    let begun = 0
    const held = (ends: typeof first) =>
      Effect.suspend(() => {
        begun += 1
        return Deferred.await(ends)
      })
    const writes = [
      yield* Effect.forkChild(Effect.exit(sent(body, held(first)))),
      yield* Effect.forkChild(Effect.exit(sent(body, held(second))))
    ] as const
    for (let round = 0; round < 200; round++) yield* Effect.yieldNow
    assert.strictEqual(begun, 2)
    yield* Deferred.fail(first, "failed")
    assert.isTrue(Exit.isFailure(yield* Fiber.join(writes[0])))
    const other = yield* Effect.catch(sent({ a: 2 }, Effect.succeed("carried out")), Effect.succeed)
    assert.deepInclude(other, { code: "conflict/idempotency_key_reused" })
    yield* Deferred.succeed(second, undefined)
    assert.isTrue(Exit.isSuccess(yield* Fiber.join(writes[1])))
    yield* sent({ a: 2 }, Effect.void)
  })
)
