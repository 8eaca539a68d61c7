import { assert, it } from "@effect/vitest"
import { Clock, Console, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeStuck } from "#infra/postgres/launcher/comingUp.ts"

const refused = "2026-11-26 19:00:00.100 UTC [8] FATAL:  the database system is starting up\n"
const redo = (seconds: number) =>
  `2026-11-26 19:00:00.100 UTC [7] LOG:  redo in progress, elapsed time: ${seconds}.00 s, current LSN: 0/${seconds}A\n`

/** Seconds after which a server counts as stuck that says so for so many, and what is printed meanwhile. */
const stuckAfter = Effect.fnUntraced(function* (goesOn: number, says = redo, kept = Number.POSITIVE_INFINITY) {
  const began = yield* Clock.currentTimeMillis
  let words = redo(990)
  const printed: Array<unknown> = []
  const stuck = yield* makeStuck(() => words, 60_000)
  for (let second = 1; ; second++) {
    yield* TestClock.adjust("1 second")
    words = `${words}${second % 10 === 0 && second <= goesOn ? says(second) : refused}`.slice(-kept)
    const console = { ...globalThis.console, error: (line: unknown) => void printed.push(line) }
    if (yield* Effect.provideService(stuck, Console.Console, console)) break
  }
  return { seconds: ((yield* Clock.currentTimeMillis) - began) / 1_000, printed }
})

it.effect("a server's words are read every ten seconds, however often it is asked for", () =>
  Effect.gen(function* () {
    let reads = 0
    const stuck = yield* makeStuck(() => {
      reads++
      return redo(1)
    }, 60_000)
    for (let asked = 0; asked < 3_000; asked++) {
      yield* TestClock.adjust("10 millis")
      assert.isFalse(yield* stuck)
    }
    assert.strictEqual(reads, 1 + 3)
  })
)

it.effect("a server that says nothing of itself is stuck after a minute", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* stuckAfter(0), { seconds: 60, printed: [] })
  })
)

it.effect("a server that recovers is waited for as long as it goes on, and how far it is is printed", () =>
  Effect.gen(function* () {
    const { seconds, printed } = yield* stuckAfter(300)
    assert.strictEqual(seconds, 360)
    assert.lengthOf(printed, 30)
    assert.strictEqual(printed[0], "Waiting for Postgres: redo in progress, elapsed time: 10.00 s, current LSN: 0/10A")
  })
)

it.effect("what was said too long ago to be read again is no news", () =>
  Effect.gen(function* () {
    const { seconds, printed } = yield* stuckAfter(20, redo, 2_000)
    assert.strictEqual(seconds, 80)
    assert.lengthOf(printed, 2)
  })
)

it.effect("a server goes on, too, while it makes its folder durable or looks through it", () =>
  Effect.gen(function* () {
    for (const what of ["syncing data directory (fsync)", "resetting unlogged relations (init)"]) {
      const says = (seconds: number) =>
        `2026-11-26 19:00:00.100 UTC [7] LOG:  ${what}, elapsed time: ${seconds}.00 s, current path: ./base/${seconds}\n`
      const { seconds, printed } = yield* stuckAfter(100, says)
      assert.strictEqual(seconds, 160)
      assert.strictEqual(printed[0], `Waiting for Postgres: ${what}, elapsed time: 10.00 s, current path: ./base/10`)
    }
  })
)

it.effect("what strangers have sent to a server is none of its words", () =>
  Effect.gen(function* () {
    const fatal = "2026-11-26 19:00:00.100 UTC [9] FATAL:  invalid value for parameter"
    const sent = (seconds: number) => `LOG:  redo in progress, elapsed time: ${seconds}.00 s`
    for (const says of [
      (seconds: number) => `${fatal} "replication": "${sent(seconds)}"\n`,
      (seconds: number) => `${fatal} "replication": "\n\t2026-11-26 19:00:00.100 UTC [7] ${sent(seconds)}"\n`
    ])
      assert.deepStrictEqual(yield* stuckAfter(300, says), { seconds: 60, printed: [] })
  })
)
