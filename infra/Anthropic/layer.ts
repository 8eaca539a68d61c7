import { Layer } from "effect"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { converse } from "../conversation.ts"
import { makeClient } from "./client.ts"
import type { AnthropicSettings } from "./settings.ts"
import { openSpeaker } from "./speaker.ts"

/** A model of the Messages API, through the SDK's tool runner. */
export const layer = (settings: AnthropicSettings) =>
  Layer.sync(LanguageModel, () => {
    const client = makeClient(settings)
    return LanguageModel.of({
      converse: (conversation) =>
        converse(conversation, (exchanges) => openSpeaker(client, settings, conversation, exchanges))
    })
  })
