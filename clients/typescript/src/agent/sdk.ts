// biome-ignore-all lint/suspicious/noTsIgnore: there is an error only where the peer is not installed

/**
 * What this library needs of the agent SDK, which is an optional peer: loaded when a session starts, and its types are
 * `any` where it is not installed, so that everything else type-checks without it.
 */

/** @ts-ignore */
export type AgentSdk = typeof import("@anthropic-ai/claude-agent-sdk")

/**
 * Options of the agent SDK's `query`.
 * @ts-ignore */
export type AgentSdkOptions = import("@anthropic-ai/claude-agent-sdk").Options

/**
 * The agent SDK's `Query`: a session's messages, and the methods of a running session.
 * @ts-ignore */
export type AgentQuery = import("@anthropic-ai/claude-agent-sdk").Query

/**
 * A message of a session, as the agent SDK tells it.
 * @ts-ignore */
export type AgentMessage = import("@anthropic-ai/claude-agent-sdk").SDKMessage

/**
 * A message to a session, as the agent SDK takes it.
 * @ts-ignore */
export type AgentUserMessage = import("@anthropic-ai/claude-agent-sdk").SDKUserMessage

/** What a session is asked: one text, or messages as they come. */
export type AgentPrompt = string | AsyncIterable<AgentUserMessage>

/** @throws Error The agent SDK is not installed. */
export const loadAgentSdk = async (): Promise<AgentSdk> => {
  try {
    // @ts-ignore
    return await import("@anthropic-ai/claude-agent-sdk")
  } catch (cause) {
    throw new Error("The agent SDK can't be loaded. Install it: npm install @anthropic-ai/claude-agent-sdk", { cause })
  }
}
