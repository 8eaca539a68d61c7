import { type Clock, systemClock } from "./clock.ts"
import type { SnipsDesired } from "./enumerations.ts"
import { variable } from "./environment.ts"
import { ValidationError } from "./errors.ts"
import { type Logger, type LogLevel, leveled } from "./log.ts"

/** What sends a request: `globalThis.fetch`, or anything that does the same. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Header names to values. `null` takes a header away that would be sent otherwise; `undefined` says nothing of it. */
export type HeadersLike = Headers | { readonly [name: string]: string | null | undefined }

/** How a client is made. Every option may be left out. */
export interface CairnOptions {
  /** The API key, `cairn_live_…`. Default: the environment's `CAIRN_API_KEY`. */
  readonly apiKey?: string | undefined
  /** Where the service is. Default: the environment's `CAIRN_BASE_URL`, else `http://127.0.0.1:8080`. */
  readonly baseUrl?: string | undefined
  /**
   * How long one try may take until its answer has come, in milliseconds; of streams and `backup`, how long nothing may
   * come. Default: 60,000, and 600,000 for `chat` and `backup`; one that is given here holds for these too.
   *
   * Node's own `fetch` ends an answer in whose midst nothing comes for 300 s, whatever is said here. Only a backup may
   * be silent for longer, while the service reads a large repository: give undici's `fetch` as `fetch`, with a
   * dispatcher of its own whose `bodyTimeout` is 0.
   */
  readonly timeout?: number | undefined
  /** The organization whose snippets are meant: the key's own, or the service refuses. */
  readonly organizationId?: string | undefined
  /** A customer of the organization, whose snippets are kept apart. Needs the tier PRO or ENTERPRISE. */
  readonly workspaceId?: string | undefined
  /** `company`: the organization's snippets only; `client`: the workspace's only, which needs `workspaceId`. */
  readonly snipsDesired?: SnipsDesired | undefined
  /** Whether searches find public snippets of others too. Default: no. */
  readonly publicSnips?: boolean | undefined
  /** The agent that asks: uploads are noted as its own, searches find its own and nobody's. */
  readonly agentId?: string | undefined
  /** How often a request is sent again when that may help. 0 is never. Default: 2. */
  readonly maxRetries?: number | undefined
  /**
   * Sent with every call besides the client's own, in place of one of the same name: such as what a gateway asks for.
   */
  readonly defaultHeaders?: HeadersLike | undefined
  /** What sends requests. Default: `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  /** Where log lines go. Default: standard error. */
  readonly logger?: Logger | undefined
  /** The least that is logged. Default: the environment's `CAIRN_LOG`, else `warn`. */
  readonly logLevel?: LogLevel | undefined
  /** What the client waits by. Default: the machine's clock. For tests of programs that use this library. */
  readonly clock?: Clock | undefined
}

/** Milliseconds of a try, unless the call, the client or the route says otherwise. */
export const usualTimeout = 60_000

/** What a single call may have otherwise than its client. */
export interface RequestOptions {
  /**
   * How long one try may take, in milliseconds; of streams and `backup`, how long nothing may come. Node's own `fetch`
   * waits 300 s for that at most, as the client's `timeout` says.
   */
  readonly timeout?: number | undefined
  /** How often the request is sent again when that may help. */
  readonly maxRetries?: number | undefined
  /**
   * The identity of a write: the service carries out requests with the same one once, for a day. Default: a new random
   * one for each call, the same for all its tries.
   */
  readonly idempotencyKey?: string | undefined
  /** Ends the call, which then fails with the signal's reason. What the service has begun, it may finish. */
  readonly signal?: AbortSignal | undefined
  /** Sent with this call besides the client's, in place of one of the same name. */
  readonly headers?: HeadersLike | undefined
}

/** The options with everything that they leave out. */
export interface Settings {
  readonly apiKey: string | undefined
  readonly baseUrl: string
  /** `undefined`: each call's own. */
  readonly timeout: number | undefined
  readonly maxRetries: number
  readonly scope: { readonly [header: string]: string | undefined }
  readonly headers: HeadersLike
  readonly fetch: Fetch
  readonly log: Logger
  readonly clock: Clock
}

export const checkedTimeout = (timeout: number | undefined): number | undefined => {
  if (timeout === undefined || timeout > 0) return timeout
  throw new ValidationError(`timeout is ${timeout}; expected a number of milliseconds above 0.`, "timeout")
}

export const checkedRetries = (retries: number): number => {
  if (Number.isInteger(retries) && retries >= 0) return retries
  throw new ValidationError(`maxRetries is ${retries}; expected a whole number from 0.`, "maxRetries")
}

/** Never says what was given: a URL may hold a password. */
const checkedUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fit = url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (fit && url.search === "" && url.hash === "") return url.href.replace(/\/+$/, "")
  throw new ValidationError(
    "baseUrl is no address of a service; expected one like http://127.0.0.1:8080, without user, password, ? and #.",
    "baseUrl"
  )
}

const checkedSnips = (desired: string | undefined): string | undefined => {
  if (desired === undefined || desired === "company" || desired === "client") return desired
  throw new ValidationError(`snipsDesired is ${desired}; expected company or client.`, "snipsDesired")
}

/**
 * A scope that is empty is one that somebody forgot: without it, a customer's snippets would go to all of the
 * organization.
 */
export const named = (option: string, value: string | undefined): string | undefined => {
  if (value !== "") return value
  throw new ValidationError(`${option} is empty; leave it out when none is meant.`, option)
}

export const settingsOf = (options: CairnOptions): Settings => ({
  apiKey: options.apiKey?.trim() || variable("CAIRN_API_KEY"),
  baseUrl: checkedUrl(options.baseUrl || variable("CAIRN_BASE_URL") || "http://127.0.0.1:8080"),
  timeout: checkedTimeout(options.timeout),
  maxRetries: checkedRetries(options.maxRetries ?? 2),
  scope: {
    "X-Cairn-Org-Id": named("organizationId", options.organizationId),
    "X-Cairn-Workspace-Id": named("workspaceId", options.workspaceId),
    "X-Cairn-Snips-Desired": checkedSnips(options.snipsDesired),
    "X-Cairn-Public-Snips": options.publicSnips ? "true" : undefined,
    "X-Cairn-Agent-Id": named("agentId", options.agentId)
  },
  headers: options.defaultHeaders ?? {},
  fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  log: leveled(options.logger, options.logLevel, variable("CAIRN_LOG")),
  clock: options.clock ?? systemClock
})
