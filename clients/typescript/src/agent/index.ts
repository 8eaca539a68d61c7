/**
 * Sessions of the agent SDK that start from proven code: {@link CairnAgent} or {@link query}; {@link cairnHooks} for
 * sessions of your own; {@link agentFunction} for functions that agents may find and call. The agent SDK is an optional
 * peer, loaded when a session starts.
 *
 * @module cairn-client/agent
 */
export { CairnAgent, type CairnAgentOptions, type CairnSessionOptions, query } from "./CairnAgent.ts"
export type { LeftFile } from "./collect.ts"
export type { HookEvent, HookOutput, PromptContext, ReadPermission } from "./events.ts"
export {
  type AgentFunction,
  type AgentFunctionOptions,
  agentFunction,
  type FunctionSchema,
  type FunctionTool,
  functionTool,
  publishFunctions
} from "./functions/agentFunction.ts"
export type { AnyFunction } from "./functions/watched.ts"
export { type CairnHookMatcher, type CairnHooks, type CairnHooksOptions, cairnHooks } from "./hooks.ts"
export type { OfferedFile } from "./offer.ts"
export type { SessionReport, Vote } from "./Session.ts"
export type { AgentMessage, AgentPrompt, AgentQuery, AgentSdkOptions, AgentUserMessage } from "./sdk.ts"
