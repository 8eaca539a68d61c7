import { Effect } from "effect"
import type { ChatCompletion } from "openai/resources"
import type { ZodType } from "zod"
import { parseJson } from "#engine/parseJson.ts"
import { ModelFailed, type OnSpent, type Question } from "#ports/LanguageModel.ts"
import { handedOn } from "#ports/Origin.ts"
import { nameOf, noTokens } from "../answer.ts"
import { modelFailed } from "../failure.ts"
import { apiOf, makeClient } from "./client.ts"
import { usageOf } from "./completion.ts"
import { toolOf } from "./form.ts"
import type { OpenAiSettings } from "./settings.ts"

/** Milliseconds for one attempt at a request, to the end of its answer. */
const patience = 120_000

/**
 * Questions to models of the Chat Completions API. The form is the only function of the request and the model must call
 * it, so that it has no other way to answer, whatever the prompt says. Its input is checked against the form's schema.
 * Fails with `ModelFailed` when the model answers otherwise, or not at all.
 */
export const makeAsk = (settings: OpenAiSettings) => {
  // not streamed: no byte comes before the whole answer
  const timeout = Math.min(settings.timeout ?? patience, patience)
  const client = makeClient({ silence: patience, ...settings, timeout })
  const api = apiOf(settings)
  return ({ model, system, prompt, form }: Question, spent?: OnSpent): Effect.Effect<unknown, ModelFailed> =>
    Effect.flatMap(handedOn, (headers) =>
      Effect.tryPromise({
        try: (signal) =>
          client.chat.completions.create(
            {
              model,
              messages: [
                { role: "system", content: system },
                { role: "user", content: prompt }
              ],
              tools: [toolOf(form)],
              tool_choice: { type: "function", function: { name: form.name } },
              parallel_tool_calls: false
            },
            { signal, headers }
          ),
        catch: (error) => modelFailed(api, model, error)
      })
    ).pipe(
      Effect.tap((completion) =>
        Effect.sync(() => spent?.(usageOf(completion ?? {}) ?? noTokens, nameOf(completion?.model, model)))
      ),
      Effect.flatMap((completion) => filledIn(completion, form.name, form.schema as ZodType))
    )
}

const inputOf = (written: string): unknown => {
  try {
    return parseJson(written)
  } catch {
    return undefined
  }
}

/** No failure quotes what the model says: that may be its prompt, and failures are shown and logged. */
const filledIn = (completion: ChatCompletion, name: string, schema: ZodType) => {
  const failed = (message: string) => Effect.fail(new ModelFailed({ message, fault: message }))
  const choice = completion?.choices?.[0]
  if (choice?.message === undefined) {
    return failed("The model's API gave an answer that is not of the Chat Completions API.")
  }
  const { finish_reason: reason, message } = choice
  if (reason === "content_filter" || message.refusal) return failed("The model declined to answer.")
  if (reason === "length") return failed("The model's answer was cut off at its limit of tokens.")
  const uses = (message.tool_calls ?? []).filter((one) => one.type === "function" && one.function.name === name)
  const [use] = uses
  if (use?.type !== "function" || uses.length > 1) return failed("The model did not answer in the form it was given.")
  const read = schema.safeParse(inputOf(use.function.arguments))
  if (!read.success) return failed("The model's answer does not fit the form it was given.")
  return Effect.succeed(read.data)
}
