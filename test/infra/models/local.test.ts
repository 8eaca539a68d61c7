import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "#infra/models/layer.ts"
import { layer as justBash } from "#infra/sandbox/justBash/layer.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { converse } from "#src/workspaces/loop.ts"
import type { SnippetFound } from "#src/workspaces/tools/SearchSnippets.ts"
import { toolset } from "#src/workspaces/tools/toolset.ts"
import { messagesApi, says } from "#test/MessagesApi.ts"
import { modelsAt, modelsOf } from "#test/models.ts"
import { emptyOverlay, textAt } from "#test/overlay.ts"
import { workersHere } from "#test/workers.ts"
import { conversation, keepingSteps, resumePoints } from "#test/workspaces/conversation.ts"

const snippet = (changes: Partial<SnippetFound> = {}): SnippetFound => ({
  id: "5f0c6a10-0000-5000-8000-000000000000",
  name: "Greet",
  score: 0.8,
  near: true,
  language: "bash",
  entrypoint: "",
  description: "Greets",
  source: "#!/bin/bash\necho 'hello from a snippet' | tee greeting.txt\n",
  filename: "greet.sh",
  ...changes
})

/** A run's parts: tools on an empty workspace and a store that finds `found`. */
const run = (found: ReadonlyArray<SnippetFound>) =>
  Effect.gen(function* () {
    const overlay = yield* emptyOverlay()
    const shell = yield* Sandbox.use((sandbox) => sandbox.open(overlay))
    const asked: Array<readonly [task: string, topK: number]> = []
    const tools = toolset(overlay, shell, workersHere, (task, topK) =>
      Effect.sync(() => {
        asked.push([task, topK])
        return { found, stale: false }
      })
    )
    return { overlay, asked, tools }
  })

const layers = Layer.provideMerge(layer(modelsOf()), justBash)

describe("LocalModel", () => {
  it.live("writes the best snippet, runs it and answers with its output", () =>
    Effect.gen(function* () {
      const { overlay, asked, tools } = yield* run([snippet()])
      const kept = keepingSteps()
      const result = yield* converse(conversation(kept, { model: "local", tools, prompt: "Greet me" }))
      assert.deepStrictEqual(result, { output: "hello from a snippet", turns: 3, ended: "done", error: "" })
      assert.deepStrictEqual(asked, [["Greet me", 1]])
      assert.strictEqual(yield* textAt(overlay, "greet.sh"), snippet().source)
      assert.strictEqual(yield* textAt(overlay, "greeting.txt"), "hello from a snippet\n")
      const steps = ["before 1", "turn 1", "tools 1", "before 2", "turn 2", "tools 2", "before 3", "turn 3"]
      assert.deepStrictEqual(kept.steps, steps)
    }).pipe(Effect.provide(layers))
  )

  it.live("resumes from every point to the same end", () =>
    Effect.gen(function* () {
      const whole = keepingSteps()
      const first = yield* run([snippet()])
      const expected = yield* converse(conversation(whole, { model: "local", tools: first.tools }))
      for (const history of resumePoints(whole.exchanges)) {
        const { tools } = yield* run([snippet()])
        const kept = keepingSteps()
        const again = conversation(kept, { model: "local", tools, history: structuredClone(history) })
        assert.deepStrictEqual(yield* converse(again), expected)
        assert.deepStrictEqual(kept.exchanges, whole.exchanges)
      }
    }).pipe(Effect.provide(layers))
  )

  it.live("declines without a match that is good enough, and says what to configure", () =>
    Effect.gen(function* () {
      // one that is offered to whoever looks at it is not yet run unseen
      for (const found of [[], [snippet({ score: 0.54 })], [snippet({ score: 0.59 })]]) {
        const { overlay, tools } = yield* run(found)
        const result = yield* converse(conversation(keepingSteps(), { model: "sonnet", tools }))
        assert.strictEqual(result.ended, "failed")
        assert.include(result.error, "so `local` answers for `sonnet`: set ANTHROPIC_API_KEY")
        assert.deepStrictEqual(overlay.paths(), [])
      }
      const { tools } = yield* run([])
      const { error } = yield* converse(conversation(keepingSteps(), { model: "local", tools }))
      assert.include(error, "and ask for a model other than `local`")
    }).pipe(Effect.provide(layers))
  )

  it.live("takes a long snippet that is all quotes and lines, or says that it is too large", () =>
    Effect.gen(function* () {
      const long = yield* run([snippet({ source: `# ${'"\n# '.repeat(25_000)}\necho well` })])
      const result = yield* converse(conversation(keepingSteps(), { model: "local", tools: long.tools }))
      assert.deepStrictEqual([result.ended, result.output], ["done", "well"])
      const larger = yield* run([snippet({ source: '"\n'.repeat(100_000) })])
      const refused = yield* converse(conversation(keepingSteps(), { model: "local", tools: larger.tools }))
      assert.deepStrictEqual(
        [refused.ended, refused.error],
        ["failed", "The snippet Greet is too large for this chat."]
      )
      assert.deepStrictEqual(larger.overlay.paths(), [])
    }).pipe(Effect.provide(layers))
  )

  it.live("declines where a run of old has found what was cut off", () =>
    Effect.gen(function* () {
      const kept = keepingSteps()
      const { tools } = yield* run([snippet()])
      yield* converse(conversation(kept, { model: "local", tools, maxTurns: 1 }))
      const [{ turn, results } = assert.fail("no turn")] = kept.exchanges
      const cut = results!.map((one) => ({ ...one, content: `${one.content.slice(0, 99)}\n[the rest was cut]` }))
      const again = conversation(keepingSteps(), { model: "local", tools, history: [{ turn, results: cut }] })
      const result = yield* converse(again)
      assert.deepStrictEqual(
        [result.ended, result.error],
        ["failed", "What the search for snippets found can't be read."]
      )
    }).pipe(Effect.provide(layers))
  )

  it.live("declines where it can't search, and says that, and not that the store has none", () =>
    Effect.gen(function* () {
      const overlay = yield* emptyOverlay()
      const shell = yield* Sandbox.use((sandbox) => sandbox.open(overlay))
      const tools = toolset(overlay, shell, workersHere, () => Effect.fail(new IndexUnavailable({ fault: "away" })))
      const result = yield* converse(conversation(keepingSteps(), { model: "local", tools }))
      assert.strictEqual(result.ended, "failed")
      assert.strictEqual(result.error, "The store of snippets can't be searched at the moment: try again.")
    }).pipe(Effect.provide(layers))
  )

  it.live("only writes what the sandbox can't run, and fails with a snippet that fails", () =>
    Effect.gen(function* () {
      const rust = yield* run([snippet({ language: "rust", filename: "main.rs" })])
      const written = yield* converse(conversation(keepingSteps(), { model: "local", tools: rust.tools }))
      assert.strictEqual(written.ended, "done")
      assert.include(written.output, "main.rs")
      assert.deepStrictEqual(rust.overlay.paths(), ["main.rs"])
      const broken = yield* run([snippet({ source: "echo before; exit 7", filename: "it's broken.sh" })])
      const failed = yield* converse(conversation(keepingSteps(), { model: "local", tools: broken.tools }))
      assert.strictEqual(failed.ended, "failed")
      assert.include(failed.error, "exit status 7")
    }).pipe(Effect.provide(layers))
  )

  it.live("keeps to max_turns", () =>
    Effect.gen(function* () {
      const { tools } = yield* run([snippet()])
      const result = yield* converse(conversation(keepingSteps(), { model: "local", tools, maxTurns: 2 }))
      assert.deepStrictEqual([result.ended, result.turns], ["max_turns", 2])
    }).pipe(Effect.provide(layers))
  )
})

describe("languageModels", () => {
  it.effect("answers a full id only with an API", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(converse(conversation(keepingSteps(), { model: "claude-x-1" })))
      assert.strictEqual(error._tag, "ModelFailed")
      assert.include(error.toString(), "ANTHROPIC_API_KEY")
    }).pipe(Effect.provide(layers))
  )

  it.live("asks the API for all but local", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([says("From the API.")])
      const models = layer(modelsAt(api))
      const { tools } = yield* run([])
      const [remote, local] = yield* Effect.all([
        converse(conversation(keepingSteps(), { model: "sonnet", tools })),
        converse(conversation(keepingSteps(), { model: "local", tools }))
      ]).pipe(Effect.provide(models))
      assert.strictEqual(remote.output, "From the API.")
      assert.strictEqual(local.ended, "failed")
      // Every tool has a schema that the API takes.
      assert.strictEqual(api.requests[0]!.body.tools?.length, 7)
    }).pipe(Effect.provide(justBash))
  )
})
