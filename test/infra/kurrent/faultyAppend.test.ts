import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { append } from "#infra/kurrent/append.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import { Fault } from "#infra/kurrent/Fault.ts"
import { Log, logOf } from "#infra/kurrent/Log.ts"
import { Revisions } from "#infra/kurrent/Revisions.ts"
import { MaxAges, setMaxAge } from "#infra/kurrent/retention.ts"
import { to } from "../../engine/appends.ts"

/** A server that answers each append with a fault, and has nothing to be read. */
const faulty = (kind: Fault["kind"], tries: Array<string> = []) =>
  Kurrent.of({
    append: (stream: string, revision: number) =>
      Effect.suspend(() => {
        tries.push(stream)
        return Effect.fail(new Fault({ kind, message: "as the test has it", actual: revision + 1 }))
      }),
    readStream: () => Effect.succeed([])
  } as never)

it.effect("an append that expects nothing gives up when others were first for 5 s, and not before", () => {
  const tries: Array<string> = []
  const sql = { unsafe: () => Effect.succeed([]) } as never
  return Effect.gen(function* () {
    const appending = yield* Effect.forkChild(Effect.flip(append(to("stream", "any"), (now) => now, new Revisions())), {
      startImmediately: true
    })
    yield* TestClock.adjust("4900 millis")
    assert.isUndefined(appending.pollUnsafe())
    assert.isAbove(tries.length, 10)
    yield* TestClock.adjust("200 millis")
    assert.isDefined(appending.pollUnsafe())
    const fault = yield* Fiber.join(appending)
    assert.deepInclude(fault, { _tag: "Fault", kind: "passes", message: "others were first, for 5 s" })
  }).pipe(
    Effect.provideService(Kurrent, faulty("wrong-revision", tries)),
    Effect.provideService(Log, logOf("log")),
    Effect.provideService(PgClient.PgClient, sql)
  )
})

it.effect("a stream is told its age by one that was first, and by nothing else that comes in between", () => {
  const told = (kind: Fault["kind"]) =>
    setMaxAge("usage-1").pipe(Effect.provideService(Kurrent, faulty(kind)), Effect.exit)
  return Effect.gen(function* () {
    assert.strictEqual((yield* told("wrong-revision"))._tag, "Success")
    for (const kind of ["passes", "denied", "deleted", "no-stream", "too-big", "other"] as const)
      assert.strictEqual((yield* told(kind))._tag, "Failure", kind)
  }).pipe(Effect.provideService(MaxAges, [{ streams: "usage-", seconds: 60 }]))
})
