import { Cairn } from "../Cairn.ts"
import type { CairnOptions } from "../options.ts"
import { type CairnHooksOptions, observe } from "./hooks.ts"
import { observedQuery } from "./query.ts"
import type { AgentPrompt, AgentQuery, AgentSdkOptions } from "./sdk.ts"

/** What of a session's options is about Cairn. */
export interface CairnSessionOptions
  extends Pick<CairnOptions, "apiKey" | "baseUrl" | "organizationId" | "workspaceId" | "snipsDesired" | "publicSnips">,
    Pick<CairnOptions, "agentId" | "logger">,
    Pick<CairnHooksOptions, "cacheDir" | "public" | "debug" | "onReport"> {
  /** The client to use, in place of one by the options beside. */
  readonly client?: Cairn | undefined
}

/** The options of the agent SDK's `query`, and Cairn's. `debug` is Cairn's; for the SDK's own there is `debugFile`. */
export type CairnAgentOptions = CairnSessionOptions & Omit<AgentSdkOptions, keyof CairnSessionOptions>

/** The client of these options, or the one that is there with what they say otherwise. */
const clientOf = (options: CairnSessionOptions, there: Cairn | undefined): Cairn => {
  const { apiKey, baseUrl, organizationId, workspaceId, snipsDesired, publicSnips, agentId, logger, debug } = options
  const scope = { apiKey, baseUrl, organizationId, workspaceId, snipsDesired, publicSnips, agentId }
  if (there === undefined) return new Cairn({ ...scope, logger, logLevel: debug ? "debug" : undefined })
  return Object.values(scope).every((value) => value === undefined) ? there : there.withOptions(scope)
}

/**
 * An agent that starts from proven code: for each prompt snippets are searched and offered to the model as files, and
 * after each success, and only then, what it wrote is uploaded and what it used voted on. Each `query` is one session
 * in one process; with messages as its prompt it has many turns. A service that does not answer costs a warning, never
 * the session.
 *
 * ```ts
 * const agent = new CairnAgent({ allowedTools: ["Read", "Write", "Bash"], systemPrompt: "You write Python." })
 * for await (const message of agent.query("Count the words of notes.txt")) console.log(message.type)
 * ```
 */
export class CairnAgent {
  /** The client that searches, uploads and votes. */
  readonly client: Cairn
  readonly #options: CairnAgentOptions

  /** @throws ValidationError An option of the client is wrong; `field` names it. */
  constructor(options: CairnAgentOptions = {} as CairnAgentOptions) {
    const own = options as CairnSessionOptions
    this.#options = options
    this.client = clientOf(own, own.client)
  }

  /** Starts a session. What it gives is the agent SDK's `Query`: its messages, and the methods of a running session. */
  query(prompt: AgentPrompt, options: Partial<CairnAgentOptions> = {}): AgentQuery {
    const own = options as CairnSessionOptions
    const all = { ...this.#options, ...options } as CairnSessionOptions & { readonly env?: CairnHooksOptions["env"] }
    const { client, apiKey, baseUrl, organizationId, workspaceId, snipsDesired, publicSnips, agentId, ...rest } = all
    const { logger, cacheDir, debug, onReport, public: isPublic, ...sdk } = rest
    const settings = { logger, cacheDir, debug, onReport, public: isPublic, env: sdk.env }
    const observed = observe(clientOf(own, own.client ?? this.client), settings, "result")
    return observedQuery(prompt, sdk as AgentSdkOptions, observed)
  }
}

/** One session, as the agent SDK's `query` of the same shape starts it. */
export const query = ({
  prompt,
  options
}: {
  readonly prompt: AgentPrompt
  readonly options?: CairnAgentOptions | undefined
}): AgentQuery => new CairnAgent(options).query(prompt)
