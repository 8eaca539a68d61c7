import { CairnAgent, type CairnAgentOptions, type CairnSessionOptions } from "../agent/CairnAgent.ts"
import { saidBefore } from "../agent/offer.ts"
import type { SessionReport } from "../agent/Session.ts"
import type { AgentMessage, AgentPrompt, AgentQuery } from "../agent/sdk.ts"
import { variable } from "../environment.ts"

/** Those of `CairnAgent`: the agent SDK's and Cairn's. */
export type RaysurferAgentOptions = CairnAgentOptions

const withEnvironment = (options: CairnAgentOptions): CairnAgentOptions => {
  const given = options as CairnSessionOptions
  return {
    ...options,
    apiKey: given.apiKey || variable("CAIRN_API_KEY") || variable("RAYSURFER_API_KEY"),
    baseUrl: given.baseUrl || variable("CAIRN_BASE_URL") || variable("RAYSURFER_BASE_URL"),
    // a customer's session is offered nothing else, as before
    snipsDesired: given.snipsDesired ?? (given.workspaceId ? "client" : undefined),
    debug: given.debug ?? variable("RAYSURFER_DEBUG") === "true"
  } as CairnAgentOptions
}

/** The client of agent sessions: each `query` is one. */
export class RaysurferClient {
  /** The same under the names of this library. */
  readonly agent: CairnAgent

  constructor(options: RaysurferAgentOptions = {} as RaysurferAgentOptions) {
    this.agent = new CairnAgent(withEnvironment(options))
  }

  /** The session's messages, and the agent SDK's methods of a running session. */
  query(prompt: AgentPrompt): AgentQuery {
    return this.agent.query(prompt)
  }
}

/** One session, as the agent SDK's `query` starts it. */
export const query = ({
  prompt,
  options
}: {
  readonly prompt: AgentPrompt
  readonly options?: RaysurferAgentOptions | undefined
}): AgentQuery => new RaysurferClient(options).query(prompt)

/** What `new Agent` takes. */
export interface AgentOptions {
  /** As for `Cairn`. */
  readonly apiKey?: string | undefined
  /** As for `Cairn`. */
  readonly baseUrl?: string | undefined
  /** As for `Cairn`. */
  readonly agentId?: string | undefined
  /** The tools that it may use without being asked, such as `Read`. */
  readonly allowedTools?: ReadonlyArray<string> | undefined
  /** What it is told before the conversation. */
  readonly systemPrompt?: string | undefined
  /** Such as `sonnet`, or a model's full id. */
  readonly model?: string | undefined
}

/** A message of a conversation so far. */
export interface AgentRunMessage {
  /** Who said it. */
  readonly role: "user" | "assistant" | "system"
  /** What was said. */
  readonly content: string
}

/** A snippet that a run used. */
export interface CodeUsed {
  /** Its id. */
  readonly codeBlockId: string
  /** Its name in the cache folder. */
  readonly filename: string
}

/** What `Agent.run` gives. */
export interface AgentRunResult {
  /** A UUID of this run. */
  readonly runId: string
  /** The last message of the user: what was asked. */
  readonly query: string
  /** Whether the session came to its end without an error. */
  readonly succeeded: boolean
  /** Of the agent SDK, in order. */
  readonly messages: ReadonlyArray<AgentMessage>
  /** The snippets that were run, or read and used. */
  readonly codeUsed: ReadonlyArray<CodeUsed>
}

/** An agent that runs a conversation to its end. */
export class Agent {
  readonly #agent: CairnAgent

  constructor(options: AgentOptions & Partial<RaysurferAgentOptions> = {}) {
    this.#agent = new CairnAgent(withEnvironment(options as CairnAgentOptions))
  }

  /**
   * Runs the last message of the user, with those before it as context. A run that fails has `succeeded: false`.
   * @param options `orgId`: the organization; `userId`: the workspace, whose snippets are kept apart.
   */
  async run(
    messages: string | ReadonlyArray<AgentRunMessage>,
    options: { readonly orgId?: string | undefined; readonly userId?: string | undefined } = {}
  ): Promise<AgentRunResult> {
    const all = typeof messages === "string" ? [{ role: "user" as const, content: messages }] : messages
    const last = all.findLastIndex(({ role }) => role === "user")
    const asked = all[last]?.content ?? ""
    const before = all.slice(0, Math.max(0, last)).map(({ role, content }) => `${role}: ${content}`)
    const prompt = before.length === 0 ? asked : `${asked}${saidBefore}${before.join("\n\n")}`
    const heard: Array<AgentMessage> = []
    let report: SessionReport | undefined
    let succeeded = false
    const session = this.#agent.query(prompt, {
      ...(options.orgId === undefined ? {} : { organizationId: options.orgId }),
      ...(options.userId === undefined ? {} : { workspaceId: options.userId }),
      onReport: (one: SessionReport) => void (report = one)
    } as Partial<CairnAgentOptions>)
    try {
      for await (const message of session) {
        heard.push(message)
        if (message.type === "result") succeeded = message.subtype === "success" && !message.is_error
      }
    } catch (error) {
      // the agent SDK throws after some failed results; without any result nothing has run
      if (!heard.some(({ type }) => type === "result")) throw error
    }
    const names = new Map((report?.offered ?? []).map(({ codeBlockId, filename }) => [codeBlockId, filename]))
    return {
      runId: globalThis.crypto.randomUUID(),
      query: asked,
      succeeded,
      messages: heard,
      codeUsed: (report?.votes ?? []).map(({ codeBlockId }) => ({
        codeBlockId,
        filename: names.get(codeBlockId) ?? codeBlockId
      }))
    }
  }
}
