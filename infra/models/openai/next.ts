import { Effect } from "effect"
import type { Heard, ModelFailed, ModelTurn, Talk } from "#ports/LanguageModel.ts"
import { handedOn } from "#ports/Origin.ts"
import { Refused, refusedTurn } from "../failure.ts"
import { apiOf, makeClient } from "./client.ts"
import { turnOf } from "./completion.ts"
import { toolOf } from "./form.ts"
import { messagesOf } from "./messages.ts"
import type { OpenAiSettings } from "./settings.ts"

/**
 * Turns of models of the Chat Completions API: one request each, which holds all that was said before. The API caches
 * the beginnings that requests share by itself. The answer is streamed, to tell a model that is at work from one that
 * hangs.
 */
export const makeNext = (settings: OpenAiSettings) => {
  const client = makeClient(settings)
  const api = apiOf(settings)
  return (talk: Talk, heard?: Heard): Effect.Effect<ModelTurn, ModelFailed> => {
    const { model } = talk
    return Effect.flatMap(handedOn, (headers) =>
      Effect.tryPromise({
        try: async (signal) => {
          const chunks = await client.chat.completions.create(
            {
              model,
              messages: messagesOf(talk),
              ...(talk.tools.length === 0 ? undefined : { tools: talk.tools.map(toolOf) }),
              ...(settings.maxTokens === undefined ? undefined : { max_completion_tokens: settings.maxTokens }),
              stream: true,
              stream_options: { include_usage: true }
            },
            { signal, headers }
          )
          return turnOf(chunks, model, heard)
        },
        catch: (error) => new Refused({ error })
      })
    ).pipe(Effect.catchTag("Refused", ({ error }) => refusedTurn(api, model, error)))
  }
}
