import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Seen from "#infra/models/seen.ts"
import { LanguageModel, ModelFailed, type Question, type Talk } from "#ports/LanguageModel.ts"
import { ModelsSeen } from "#ports/ModelsSeen.ts"

const failed = new ModelFailed({ message: "the API said: sk-secret", fault: "answered 529" })
const talkWith = (model: string): Talk => ({ model, system: "", prompt: "", tools: [], history: [] })

/** `next` fails for a model that is called so, and waits for ever for another. */
const inner = Layer.mock(LanguageModel, {
  canBeAsked: true,
  choices: {
    named: ["answers", "fails", "waits"].map((name) => ({
      name,
      model: name,
      api: "local" as const,
      prices: undefined,
      context: undefined
    })),
    others: true,
    locally: []
  },
  next: ({ model }) => {
    if (model === "waits") return Effect.never
    return model === "fails"
      ? Effect.fail(failed)
      : Effect.succeed({
          model,
          says: [],
          end: "done" as const,
          usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
        })
  },
  ask: () => Effect.fail(failed)
})

it.effect("a model is seen to answer and to fail when it is asked, and of what nobody can name nothing is kept", () =>
  Effect.gen(function* () {
    const model = yield* LanguageModel
    const { seen } = yield* ModelsSeen
    assert.strictEqual((yield* seen).size, 0)
    yield* TestClock.setTime(1_000)
    yield* model.next(talkWith("answers"))
    yield* TestClock.setTime(2_000)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(model.next(talkWith("fails")))))
    yield* TestClock.setTime(3_000)
    yield* Effect.exit(model.ask({ model: "answers" } as Question))
    yield* model.next(talkWith("anything/else"))
    yield* Effect.timeoutOption(model.next(talkWith("waits")), 0)
    assert.deepStrictEqual(Object.fromEntries(yield* seen), {
      answers: { answeredAt: 1_000, failedAt: 3_000, fault: "answered 529" },
      fails: { answeredAt: null, failedAt: 2_000, fault: "answered 529" }
    })
  }).pipe(Effect.provide(Layer.provide(Seen.layer, inner)))
)
