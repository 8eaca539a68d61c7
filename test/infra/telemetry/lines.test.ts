import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Lines from "#infra/telemetry/lines.ts"
import { Origin } from "#ports/Origin.ts"

/** What is written of it, piece by piece. */
const written = (terminal: boolean, saying: Effect.Effect<void>, level: "Info" | "Warn" = "Info") =>
  Effect.gen(function* () {
    const texts: Array<string> = []
    yield* Effect.provide(
      saying,
      Lines.layer(level, terminal, (text) => void texts.push(text))
    )
    return texts
  })

const inside = Effect.provideService(Origin, { requestId: "abc-1", traceparent: null })

describe("a line of the log", () => {
  it.effect("is one of JSON, with its date, level, request and cause, whatever is in it", () =>
    Effect.gen(function* () {
      const fault = new Error("first\nsecond")
      const lines = yield* written(
        false,
        Effect.logWarning("it\nbroke", "twice").pipe(
          Effect.annotateLogs({ run: "r\n1" }),
          Effect.andThen(
            Effect.sandbox(Effect.fail(fault)).pipe(Effect.catch((cause) => Effect.logError("no", cause)))
          ),
          inside
        )
      )
      assert.lengthOf(lines, 2)
      for (const line of lines) assert.match(line, /^[^\n]+\n$/)
      const [warned, failed] = lines.map((line) => JSON.parse(line))
      assert.match(warned.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      assert.deepInclude(warned, { level: "WARN", message: "it\nbroke twice", request_id: "abc-1", run: "r\n1" })
      assert.deepInclude(failed, { level: "ERROR", message: "no" })
      assert.include(failed.cause, "first\nsecond")
    })
  )

  it.effect("is one for people at a terminal", () =>
    Effect.gen(function* () {
      const [line, ...more] = yield* written(
        true,
        Effect.logWarning("it\nbroke").pipe(Effect.annotateLogs({ run: "a b\nc", n: 1 }), inside)
      )
      assert.deepStrictEqual(more, [])
      assert.match(line!, /^\S+Z WARN {2}it broke request_id=abc-1 run="a b\\nc" n=1\n$/)
    })
  )

  it.effect("below the level is not written", () =>
    Effect.gen(function* () {
      const saying = Effect.andThen(Effect.logInfo("less"), Effect.logWarning("more"))
      const lines = yield* written(false, saying, "Warn")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).message),
        ["more"]
      )
    })
  )
})
