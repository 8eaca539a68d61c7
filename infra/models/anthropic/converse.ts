import type { Conversation } from "#ports/LanguageModel.ts"
import { converse } from "../conversation.ts"
import { makeClient } from "./client.ts"
import type { AnthropicSettings } from "./settings.ts"
import { openSpeaker } from "./speaker.ts"

/** Conversations with models of the Messages API, through the SDK's tool runner. */
export const makeAnthropic = (settings: AnthropicSettings) => {
  const client = makeClient(settings)
  return (conversation: Conversation) =>
    converse(conversation, (exchanges) => openSpeaker(client, settings, conversation, exchanges))
}
