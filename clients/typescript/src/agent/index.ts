/** The public names of `cairn-client/agent`. */
export { CairnAgent, type CairnAgentOptions, type CairnSessionOptions, query } from "./CairnAgent.ts"
export type { LeftFile } from "./collect.ts"
export type { HookEvent, HookOutput } from "./events.ts"
export {
  type AgentFunction,
  type AgentFunctionOptions,
  agentFunction,
  type FunctionSchema,
  functionTool,
  publishFunctions
} from "./functions/agentFunction.ts"
export { type CairnHooks, type CairnHooksOptions, cairnHooks } from "./hooks.ts"
export type { OfferedFile } from "./offer.ts"
export type { SessionReport } from "./Session.ts"
export type { AgentMessage, AgentPrompt, AgentQuery, AgentSdkOptions, AgentUserMessage } from "./sdk.ts"
