import { Effect, Layer } from "effect"
import { z } from "zod"
import { layer } from "#infra/models/layer.ts"
import { layer as observed } from "#infra/observed/languageModel.ts"
import { layer as justBash } from "#infra/sandbox/justBash/layer.ts"
import { type Form, LanguageModel } from "#ports/LanguageModel.ts"
import { chatCompletionsApi } from "#test/ChatCompletionsApi.ts"
import { call, scriptedModel, text, turn } from "#test/languageModel.ts"
import { calls, messagesApi, says } from "#test/MessagesApi.ts"
import { modelsAt, modelsOf } from "#test/models.ts"
import { contract, type Led } from "./LanguageModel.contract.ts"

const form = (name: string): Form => ({ name, description: name, schema: z.object({ text: z.string() }) })
const asked = { system: "You are an agent.", tools: [form("Echo")] }
/** One answer of two texts. */
const two = { content: ["All of it", "is done."].map((text) => ({ type: "text", text })) }
const led: Omit<Led, "model"> = {
  calling: { ...asked, model: "sonnet", prompt: "Do it." },
  answers: ["echo a"],
  declining: { talk: { ...asked, model: "sonnet", prompt: "Do harm." }, answers: [] }
}

contract(
  "the tests' own",
  Effect.sync(() => {
    const { model } = scriptedModel(({ prompt, history }) => {
      if (prompt === "Do harm.") return turn([text("No.")], { end: "declined" })
      return history.length === 0 ? turn([call("1", "Echo", { text: "a" })]) : turn([text("Done.")])
    })
    return { ...led, model }
  })
)

const anthropic = (watch: boolean) =>
  Effect.gen(function* () {
    const api = yield* messagesApi(({ body }) => {
      if (body.messages[0]!.content === "Do harm.") return { ...says("No."), stopReason: "refusal" }
      const use = (said: string) => ({ name: "Echo", input: { text: said } })
      return body.messages.length === 1 ? calls(use("a"), use("b")) : two
    })
    const models = watch ? Layer.provide(observed, layer(modelsAt(api))) : layer(modelsAt(api))
    const model = yield* Effect.provide(LanguageModel, Layer.provide(models, justBash))
    return { ...led, model, streams: true }
  })

contract("Anthropic", anthropic(false))
contract("Anthropic, watched", anthropic(true))

contract(
  "OpenAI-compatible",
  Effect.gen(function* () {
    const api = yield* chatCompletionsApi(({ body }) => {
      if (body.messages[1].content === "Do harm.") return { refusal: "No." }
      const use = (said: string) => ({ name: "Echo", arguments: JSON.stringify({ text: said }) })
      return body.messages.length === 2 ? { calls: [use("a"), use("b")] } : { content: "All of it is done." }
    })
    const models = modelsOf({
      OPENAI_API_KEY: api.key,
      OPENAI_BASE_URL: api.url,
      CAIRN_MODELS: '{"sonnet": {"provider": "openai", "model": "gpt-x"}}'
    })
    const model = yield* Effect.provide(LanguageModel, Layer.provide(layer(models), justBash))
    return { ...led, model, streams: true }
  })
)

const snippet = { name: "Greet", score: 0.8, language: "bash", filename: "greet.sh", source: "echo hello" }
const found = (...matches: ReadonlyArray<unknown>) => JSON.stringify({ matches })
const local = {
  system: "",
  model: "local",
  prompt: "Greet me",
  tools: ["SearchSnippets", "Write", "Bash"].map(form)
}

contract(
  "local",
  Effect.gen(function* () {
    const model = yield* Effect.provide(LanguageModel, Layer.provide(layer(modelsOf()), justBash))
    return { model, calling: local, answers: [found(snippet)], declining: { talk: local, answers: [found()] } }
  })
)
