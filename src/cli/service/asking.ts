import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { BadConfig } from "#src/config/BadConfig.ts"
import { readConfig } from "#src/config/config.ts"
import { withFiles } from "#src/config/secrets.ts"
import type { APIPromise } from "../../../clients/typescript/src/APIPromise.ts"
import { Cairn } from "../../../clients/typescript/src/Cairn.ts"
import { AuthenticationError, RateLimitError, ServiceError } from "../../../clients/typescript/src/errors.ts"
import type { Logger } from "../../../clients/typescript/src/log.ts"
import type { RequestOptions } from "../../../clients/typescript/src/options.ts"
import { Failed } from "../failure.ts"
import { type Around, Surroundings } from "../surroundings.ts"

/** `--workspace`: the customer's workspace that a request is about, as its header names it. */
export const workspaceFlag = Flag.String("workspace").pipe(
  Flag.withMetavar("W"),
  Flag.withDescription("A customer's snippets instead, by its workspace; needs tier PRO or ENTERPRISE"),
  Flag.optional
)

/** A host to ask on this machine, also if the service listens on every address. */
const reachable = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1"
  if (host === "::") return "[::1]"
  return host.includes(":") ? `[${host}]` : host
}

const ownersKey = (dataDir: string): string => {
  const path = join(dataDir, "owner.key")
  try {
    return readFileSync(path, "utf8").trim()
  } catch {
    throw new Failed({
      message: `No key is given: set CAIRN_API_KEY. (The owner's, which this machine's service makes at its first start, is not in ${path}.)`
    })
  }
}

/** Which service to ask, and its key. The owner's key in this data folder goes to this machine's service only. */
const placeIn = ({ env }: Around): { readonly url: string; readonly key: string } => {
  const given = withFiles(env, ["CAIRN_API_KEY"])["CAIRN_API_KEY"]?.trim() ?? ""
  const url = (env["CAIRN_URL"] ?? "").trim()
  if (url !== "") {
    if (given === "") throw new Failed({ message: "No key is given for the service at CAIRN_URL: set CAIRN_API_KEY." })
    return { url, key: given }
  }
  const { host, port, dataDir } = readConfig(env)
  return { url: `http://${reachable(host)}:${port}`, key: given === "" ? ownersKey(dataDir) : given }
}

/** Tells the user of long waits, all that the client has warnings of here. A service asks for them by its answer. */
const waitsTo = (stderr: Around["stderr"]): Logger => {
  const quiet = () => {}
  const warn = (line: string, details?: unknown) => {
    const { statusCode } = details as { readonly statusCode: number }
    stderr.write(`cairn: ${line}; it was answered with ${statusCode}.\n`)
  }
  return { debug: quiet, info: quiet, warn, error: quiet }
}

/** Why a request failed, in a line for the user. */
const failureOf = (url: string) => (error: unknown) => {
  if (!(error instanceof ServiceError)) return new Failed({ message: String(error) })
  const { message, statusCode, requestId } = error
  if (statusCode === null) {
    return new Failed({ message: error.cause === undefined ? message : `${message} (CAIRN_URL names the service.)` })
  }
  const wait = error instanceof RateLimitError && error.retryAfter !== null ? ` Again in ${error.retryAfter} s.` : ""
  const whose = error instanceof AuthenticationError ? ` (CAIRN_API_KEY, at ${new URL(url).origin})` : ""
  const which = statusCode >= 500 && requestId !== null ? ` (request ${requestId})` : ""
  return new Failed({ message: `${message}${wait}${whose}${which}` })
}

/** An answer, and what the service wrote, for programs. */
export interface AnsweredCall<T> {
  readonly data: T
  /** Empty if the answer is a text or a file. */
  readonly wire: object
}

/**
 * Asks through a client of the service: sends the request when the effect runs, and ends it when that is interrupted.
 */
export type Ask = <T>(
  call: (cairn: Cairn, options: RequestOptions) => APIPromise<T>
) => Effect.Effect<AnsweredCall<T>, Failed>

/** The same for bytes that come piece by piece: each is put somewhere before the next one is taken. */
type Taken = (
  call: (cairn: Cairn, options: RequestOptions) => AsyncIterable<Uint8Array>,
  put: (piece: Uint8Array) => void
) => Effect.Effect<void, Failed>

interface Scope {
  readonly workspace?: Option.Option<string>
  readonly publicSnips?: boolean
}

/** The service to ask. Fails with a line for the operator if there is none, or no key. */
export const service = Effect.fnUntraced(function* ({ workspace = Option.none(), publicSnips = false }: Scope = {}) {
  const around = yield* Surroundings
  const { url, cairn } = yield* Effect.try({
    try: () => {
      const { url, key } = placeIn(around)
      const workspaceId = Option.getOrUndefined(workspace)
      const logger = waitsTo(around.stderr)
      return {
        url,
        cairn: new Cairn({ apiKey: key, baseUrl: url, workspaceId, publicSnips, logger, logLevel: "warn" })
      }
    },
    catch: (error) =>
      error instanceof ServiceError
        ? new Failed({ message: error.message.replace("baseUrl", "CAIRN_URL") })
        : (error as BadConfig)
  })
  const ask: Ask = (call) =>
    Effect.tryPromise({
      try: async (signal) => {
        const { data, response } = await call(cairn, { signal }).withResponse()
        const isText = typeof data === "string" || data instanceof Uint8Array
        return { data, wire: isText ? {} : ((await response.json()) as object) }
      },
      catch: failureOf(url)
    })
  const taken: Taken = (call, put) =>
    Effect.tryPromise({
      try: async (signal) => {
        for await (const piece of call(cairn, { signal })) put(piece)
      },
      catch: (error) =>
        error instanceof ServiceError ? failureOf(url)(error) : new Failed({ message: (error as Error).message })
    })
  return Object.assign(ask, { taken })
})
