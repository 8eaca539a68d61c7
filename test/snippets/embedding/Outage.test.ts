import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { makeOutage } from "#src/snippets/embedding/Outage.ts"

it.effect("each fault of an embeddings server is one line a minute, also of two that take turns", () => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push([message].flat()[0]))
  return Effect.gen(function* () {
    const outage = makeOutage()
    const faults = ["it answers with 500", "it is silent"]
    for (let second = 0; second < 60; second++) {
      yield* outage.begins(faults[second % 2]!)
      assert.strictEqual(outage.fault(), faults[second % 2])
      yield* TestClock.adjust("1 second")
    }
    assert.lengthOf(lines, 2)
    yield* outage.begins(faults[0]!)
    assert.lengthOf(lines, 3)
    yield* outage.ends
    yield* outage.ends
    assert.strictEqual(outage.fault(), undefined)
    assert.deepStrictEqual(lines.slice(2), [lines[0], "the embeddings server is back"])
  }).pipe(Effect.provide(Logger.layer([logger])))
})
