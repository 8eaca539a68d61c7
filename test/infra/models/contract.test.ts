import { Effect, Layer, Redacted } from "effect"
import { z } from "zod"
import { layer } from "#infra/models/layer.ts"
import { layer as justBash } from "#infra/sandbox/justBash/layer.ts"
import { type Form, LanguageModel } from "#ports/LanguageModel.ts"
import { call, scriptedModel, text, turn } from "#test/languageModel.ts"
import { calls, messagesApi, says } from "#test/MessagesApi.ts"
import { contract, type Led } from "./LanguageModel.contract.ts"

const form = (name: string): Form => ({ name, description: name, schema: z.object({ text: z.string() }) })
const asked = { system: "You are an agent.", tools: [form("Echo")] }
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

contract(
  "Anthropic",
  Effect.gen(function* () {
    const api = yield* messagesApi(({ body }) => {
      if (body.messages[0]!.content === "Do harm.") return { ...says("No."), stopReason: "refusal" }
      const use = (said: string) => ({ name: "Echo", input: { text: said } })
      return body.messages.length === 1 ? calls(use("a"), use("b")) : says("Done.")
    })
    const models = layer({ apiKey: Redacted.make(api.key), baseURL: api.url })
    const model = yield* Effect.provide(LanguageModel, Layer.provide(models, justBash))
    return { ...led, model }
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
    const model = yield* Effect.provide(LanguageModel, Layer.provide(layer(undefined), justBash))
    return { model, calling: local, answers: [found(snippet)], declining: { talk: local, answers: [found()] } }
  })
)
