import { Effect } from "effect"
import type { Heard, ModelFailed, ModelTurn, Talk } from "#ports/LanguageModel.ts"
import { handedOn } from "#ports/Origin.ts"
import { Refused, refusedTurn } from "../failure.ts"
import { messagesOf, turnOf } from "./blocks.ts"
import { apiOf, makeClient } from "./client.ts"
import { toolOf } from "./form.ts"
import { messageOf } from "./message.ts"
import type { AnthropicSettings } from "./settings.ts"

const ephemeral = { type: "ephemeral" } as const

/**
 * Turns of models of the Messages API: one request each, which holds all that was said before. All up to its last
 * results goes into the provider's prompt cache, because the next request begins with the same. The answer is streamed,
 * to tell a model that is at work from one that hangs.
 */
export const makeNext = (settings: AnthropicSettings) => {
  const client = makeClient(settings)
  const api = apiOf(settings)
  return (talk: Talk, heard?: Heard): Effect.Effect<ModelTurn, ModelFailed> => {
    const { model } = talk
    return Effect.flatMap(handedOn, (headers) =>
      Effect.tryPromise({
        try: async (signal) => {
          const controller = new AbortController()
          signal.addEventListener("abort", () => controller.abort(signal.reason))
          const response = await client.beta.messages
            .create(
              {
                model,
                max_tokens: settings.maxTokens ?? 16_000,
                system: [{ type: "text", text: talk.system, cache_control: ephemeral }],
                messages: messagesOf(talk, ephemeral),
                tools: talk.tools.map((form) => ({ type: "custom" as const, ...toolOf(form) })),
                stream: true
              },
              { signal: controller.signal, headers }
            )
            .asResponse()
          return turnOf(await messageOf(client, response, controller, heard), model)
        },
        catch: (error) => new Refused({ error })
      })
    ).pipe(Effect.catchTag("Refused", ({ error }) => refusedTurn(api, model, error)))
  }
}
