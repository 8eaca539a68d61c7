import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Problem } from "#src/api/Problem.ts"
import { answering } from "../middleware/problems.ts"

/** Names by which every machine means itself. */
const loopback = ["localhost", "127.0.0.1", "[::1]"]

/** A host as a URL has it: an IPv6 address in brackets. */
const inUrl = (host: string): string => (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host).toLowerCase()

/** Whether a host, as a URL has it, means the asking machine itself. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host)

/** The name in a `Host` header, without its port and trailing dot; `undefined`: the header is malformed. */
export const nameIn = (header: string): string | undefined =>
  /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253}?)\.?(?::\d{1,5})?$/.exec(header.toLowerCase())?.[1]

/**
 * The names under which a service that listens at `host` may be asked; `undefined`: any. A service that listens only to
 * its own machine has no public name: a page that asks for it under one has pointed that name at this machine (DNS
 * rebinding).
 */
export const namesOf = (host: string, given: ReadonlyArray<string>): ReadonlySet<string> | undefined => {
  const own = inUrl(host)
  if (given.length === 0 && !isLoopback(own)) return undefined
  return new Set([...loopback, own, ...given])
}

const foreignHost = (header: string) =>
  new Problem({
    code: "permission/foreign_host",
    message: `This service is not known as ${JSON.stringify(header.slice(0, 100))}. Ask for it at localhost or 127.0.0.1; behind a proxy, let its operator name the host in CAIRN_ALLOWED_HOSTS.`
  })

const foreignOrigin = new Problem({
  code: "permission/foreign_origin",
  message: "MCP is not for pages in a browser: the request has the header Origin. Connect from outside of one."
})

const nameless = new Problem({
  code: "validation/malformed_request",
  message: "The request has no header Host, which every HTTP/1.1 request has."
})

/** Routes that no page may call, not even one of ours. */
const pageless = /^\/mcp(?:[/?]|$)/

/**
 * Refuses what a foreign page in a browser sends: requests under a foreign name, and any page's requests to /mcp. A
 * client that sends no `Host`, as HTTP/1.0 allows, is no browser.
 */
export const admitting =
  (names: ReadonlySet<string> | undefined) =>
  <A, E, R>(app: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { headers, url, source } = yield* HttpServerRequest.HttpServerRequest
      const { host, origin } = headers
      if (host === undefined && (source as Partial<IncomingMessage>).httpVersion === "1.1")
        return yield* answering(nameless)
      if (names !== undefined && host !== undefined && !names.has(nameIn(host) ?? ""))
        return yield* answering(foreignHost(host))
      if (origin !== undefined && pageless.test(url)) return yield* answering(foreignOrigin)
      return yield* app
    })
