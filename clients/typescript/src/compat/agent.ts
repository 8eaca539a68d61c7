/**
 * `cairn-client/compat/agent`: all names of the agent SDK, and those of the existing session client in place of its
 * own. Needs the agent SDK, whose names can only be had by loading it; `cairn-client/compat` does not.
 *
 * @module cairn-client/compat/agent
 */

// biome-ignore lint/suspicious/noTsIgnore: there is an error only where the peer is not installed
/** @ts-ignore */
export * from "@anthropic-ai/claude-agent-sdk"
export {
  Agent,
  type AgentOptions,
  type AgentRunMessage,
  type AgentRunResult,
  type CodeUsed,
  query,
  type RaysurferAgentOptions,
  RaysurferClient,
  RaysurferClient as ClaudeSDKClient,
  RaysurferClient as RaysurferOpencodeClient
} from "./session.ts"
