import type { Message } from "@anthropic-ai/sdk/resources"
import { Effect } from "effect"
import type { ZodType } from "zod"
import { ModelFailed, type OnSpent, type Question } from "#ports/LanguageModel.ts"
import { handedOn } from "#ports/Origin.ts"
import { nameOf, noTokens } from "../answer.ts"
import { modelFailed } from "../failure.ts"
import { usageOf } from "./blocks.ts"
import { apiOf, makeClient } from "./client.ts"
import { toolOf } from "./form.ts"
import type { AnthropicSettings } from "./settings.ts"

/** Tokens of an answer: a form is filled in with some sentences, not with pages. */
const longest = 4_000
/** Milliseconds for one attempt at a request, to the end of its answer. */
const patience = 120_000

/**
 * Questions to models of the Messages API. The form is the only tool of the request and the model must call it, so that
 * it has no other way to answer, whatever the prompt says. Its input is checked against the form's schema. Fails with
 * `ModelFailed` when the model answers otherwise, or not at all.
 */
export const makeAsk = (settings: AnthropicSettings) => {
  // not streamed: no byte comes before the whole answer
  const timeout = Math.min(settings.timeout ?? patience, patience)
  const client = makeClient({ silence: patience, ...settings, timeout })
  const api = apiOf(settings)
  return ({ model, system, prompt, form }: Question, spent?: OnSpent): Effect.Effect<unknown, ModelFailed> => {
    const schema = form.schema as ZodType
    return Effect.flatMap(handedOn, (headers) =>
      Effect.tryPromise({
        try: (signal) =>
          client.messages.create(
            {
              model,
              max_tokens: Math.min(settings.maxTokens ?? longest, longest),
              system,
              messages: [{ role: "user", content: prompt }],
              tools: [toolOf(form)],
              tool_choice: { type: "tool", name: form.name, disable_parallel_tool_use: true }
            },
            { signal, headers }
          ),
        catch: (error) => modelFailed(api, model, error)
      })
    ).pipe(
      Effect.tap(({ usage, model: answered }) =>
        Effect.sync(() => spent?.(usage == null ? noTokens : usageOf(usage), nameOf(answered, model)))
      ),
      Effect.flatMap((message) => filledIn(message, form.name, schema))
    )
  }
}

/** No failure quotes what the model says: that may be its prompt, and failures are shown and logged. */
const filledIn = ({ stop_reason: stopReason, content }: Message, name: string, schema: ZodType) => {
  const failed = (message: string) => Effect.fail(new ModelFailed({ message, fault: message }))
  if (stopReason === "refusal") return failed("The model declined to answer.")
  if (stopReason === "max_tokens") return failed("The model's answer was cut off at its limit of tokens.")
  if (!Array.isArray(content)) return failed("The model's API gave an answer that is not of the Messages API.")
  const uses = content.filter((block) => block.type === "tool_use" && block.name === name)
  const [use] = uses
  if (use?.type !== "tool_use" || uses.length > 1) return failed("The model did not answer in the form it was given.")
  const read = schema.safeParse(use.input)
  if (!read.success) return failed("The model's answer does not fit the form it was given.")
  return Effect.succeed(read.data)
}
