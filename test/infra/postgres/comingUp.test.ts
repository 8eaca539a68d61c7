import { assert, it } from "@effect/vitest"
import { Clock, Console, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeStuck } from "#infra/postgres/launcher/comingUp.ts"

const refused = "2026-11-26 19:00:00.100 UTC [8] FATAL:  the database system is starting up\n"
const redo = (seconds: number) =>
  `2026-11-26 19:00:00.100 UTC [7] LOG:  redo in progress, elapsed time: ${seconds}.00 s, current LSN: 0/${seconds}A\n`

/** Seconds after which a server counts as stuck that goes on for so many, and what is printed meanwhile. */
const stuckAfter = Effect.fnUntraced(function* (goesOn: number) {
  const began = yield* Clock.currentTimeMillis
  let words = redo(990)
  const printed: Array<unknown> = []
  const stuck = yield* makeStuck(() => words, 60_000)
  for (let second = 1; ; second++) {
    yield* TestClock.adjust("1 second")
    words += second % 10 === 0 && second <= goesOn ? redo(second) : refused
    const console = { ...globalThis.console, error: (line: unknown) => void printed.push(line) }
    if (yield* Effect.provideService(stuck, Console.Console, console)) break
  }
  return { seconds: ((yield* Clock.currentTimeMillis) - began) / 1_000, printed }
})

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
