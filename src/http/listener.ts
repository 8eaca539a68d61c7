import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { bodyOf, Problem, statusOf } from "#src/api/Problem.ts"
import { oneAfterAnother } from "./oneAfterAnother.ts"

/** How long slow clients are waited for, in milliseconds, and how many may be connected. */
export interface ListenerLimits {
  /** From a connection, or the end of the request before, to the end of a request's head. */
  readonly head: number
  /** To the end of its body; a route has a shorter limit of its own. */
  readonly request: number
  /** The same for a push, whose pack has a pace of its own (infra/git/push/pace.ts). */
  readonly push: number
  /** Between two requests. */
  readonly idle: number
  /**
   * How long a client may take nothing at all of an answer, and how long the rest of an unread body may take to come.
   */
  readonly deaf: number
  /** How often these limits are checked. */
  readonly look: number
  readonly connections: number
  /** Of one address. Not for this machine's own and trusted proxies': behind a proxy, all have its address. */
  readonly ofOneAddress: number
}

export const defaults: ListenerLimits = {
  head: 15_000,
  request: 120_000,
  // for its lines, its pack, and the rest of a refused one
  push: 21 * 60_000,
  // longer than the proxies' own, which would otherwise send into a closing connection
  idle: 75_000,
  deaf: 60_000,
  look: 2_000,
  connections: 2_000,
  ofOneAddress: 256
}

const tooSlow = new Problem({
  code: "body/too_slow",
  message: "The request came too slowly. Send it again, over a faster connection or in smaller parts."
})
const tooLong = new Problem({
  code: "header/too_large",
  message: "The head of the request is larger than 16 KiB. Send fewer or shorter headers, or a shorter path."
})
const malformed = new Problem({
  code: "validation/malformed_request",
  message: "The request is not HTTP. Send an HTTP/1.1 request, as any HTTP client does."
})

const timedOut = "ERR_HTTP_REQUEST_TIMEOUT"

const problemOf = (code: string | undefined): Problem => {
  if (code === timedOut) return tooSlow
  return code === "HPE_HEADER_OVERFLOW" ? tooLong : malformed
}

/** An answer to what never became a request, in the one error body. */
const refusal = (problem: Problem): string => {
  const requestId = randomUUID()
  const status = statusOf[problem.code]
  const body = JSON.stringify(bodyOf(problem, requestId))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json",
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close"
  ]
  return `${head.join("\r\n")}\r\n\r\n${body}`
}

/** Whether the other end of a connection is on this machine. */
export const isLocal = (address: string) => address === "::1" || /^(::ffff:)?127\./.test(address)

/** Ends answers of which the client takes nothing. Time in which the service itself writes nothing does not count. */
const watchReaders = (server: Server, { deaf, look }: ListenerLimits) => {
  const open = new Map<ServerResponse, { written: number; since: number }>()
  server.on("request", (_: IncomingMessage, response: ServerResponse) => {
    open.set(response, { written: -1, since: 0 })
    response.once("close", () => open.delete(response))
  })
  const timer = setInterval(() => {
    const now = Date.now()
    for (const [response, seen] of open) {
      const written = response.socket?.bytesWritten ?? 0
      const waits = response.writableLength > 0
      if (!waits || written !== seen.written) Object.assign(seen, { written, since: now })
      else if (now - seen.since > deaf) response.socket?.destroy()
    }
  }, look)
  timer.unref()
  server.once("close", () => clearInterval(timer))
}

/** Cuts a connection whose request is incomplete `deaf` after its answer: until then, the client can read that. */
const watchRests = (server: Server, { deaf }: ListenerLimits) => {
  // by connection: it can have many such requests, each behind the rest of the one before
  const timers = new WeakMap<Socket, NodeJS.Timeout>()
  server.on("connection", (socket: Socket) => socket.once("close", () => clearTimeout(timers.get(socket))))
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => {
      if (request.complete) return
      const { socket } = request
      clearTimeout(timers.get(socket))
      const timer = setTimeout(() => request.complete || socket.destroy(), deaf)
      timer.unref()
      timers.set(socket, timer)
    })
  })
}

/**
 * When the server closes, closes connections on which nothing has come yet, too. Runtimes and browsers open them ahead,
 * and the server would wait for their requests.
 */
const endUnused = (server: Server) => {
  const open = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  })
  const close = server.close.bind(server)
  server.close = (closed) => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    return close(closed)
  }
}

const isOf = (networks: ReadonlyArray<IpNetwork.IpNetwork>, address: string): boolean => {
  const ip = NetAddress.ipFromString(address)
  return Result.isSuccess(ip) && networks.some((one) => IpNetwork.contains(one, NetAddress.toCanonical(ip.success)))
}

const countAddresses = (
  server: Server,
  { ofOneAddress }: ListenerLimits,
  proxies: ReadonlyArray<IpNetwork.IpNetwork>
) => {
  const connected = new Map<string, number>()
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? ""
    if (isLocal(address) || isOf(proxies, address)) return
    const count = (connected.get(address) ?? 0) + 1
    connected.set(address, count)
    socket.once("close", () => {
      const left = (connected.get(address) ?? 1) - 1
      if (left === 0) connected.delete(address)
      else connected.set(address, left)
    })
    if (count > ofOneAddress) socket.destroy()
  })
}

/**
 * Keeps requests until the routes are there: the server listens before they are made, and nobody would ever answer a
 * request that came in between. Gives the function to call when all but the routes listen.
 */
const beforeRoutes = (server: Server): (() => void) => {
  const emit = server.emit.bind(server) as (event: string, ...args: ReadonlyArray<unknown>) => boolean
  let early: Array<() => void> | undefined = []
  server.emit = (event: string, ...args: Array<unknown>): boolean => {
    if (early === undefined || (event !== "request" && event !== "checkContinue")) return emit(event, ...args)
    early.push(() => emit(event, ...args))
    return true
  }
  const come = (event: string | symbol): void => {
    if (event !== "request") return
    server.off("newListener", come)
    // `newListener` comes before the listener is there
    queueMicrotask(() => {
      const due = early ?? []
      early = undefined
      for (const begin of due) begin()
    })
  }
  return () => void server.on("newListener", come)
}

const isPush = ({ url = "" }: IncomingMessage) => url.endsWith("/git-receive-pack")

/** Ends requests whose body does not come in time. The runtime has one limit for all, and a push needs longer. */
const watchBodies = (server: Server, limits: ListenerLimits) => {
  server.on("request", (request: IncomingMessage) => {
    const { headers, socket } = request
    const hasBody = (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined
    if (!hasBody || isPush(request)) return
    const late = Object.assign(new Error("The request came too slowly."), { code: timedOut })
    const timer = setTimeout(() => request.complete || server.emit("clientError", late, socket), limits.request)
    timer.unref()
    request.once("close", () => clearTimeout(timer))
  })
}

/**
 * A server that slow clients can't hold up, and that answers what is not HTTP with the one error body. `proxies`: the
 * networks of trusted proxies.
 */
export const makeServer = (
  limits: ListenerLimits = defaults,
  proxies: ReadonlyArray<IpNetwork.IpNetwork> = []
): Server => {
  const server = createServer({
    headersTimeout: limits.head,
    requestTimeout: limits.push,
    keepAliveTimeout: limits.idle,
    connectionsCheckingInterval: limits.look,
    // a request without one is refused where hosts are checked: the runtime's own answer would be empty
    requireHostHeader: false
  })
  server.maxConnections = limits.connections
  // unknown expectations may be ignored (RFC 9110, 10.1.1): the runtime's own answer would be an empty 417
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response))
  const refused = new WeakSet<Socket>()
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse }) => {
    // refused already: each further part of a malformed request is an error again
    if (refused.has(socket) && error.code !== "ECONNRESET") return
    // nothing can be sent in the middle of an answer that has begun
    if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent) return socket.destroy()
    refused.add(socket)
    // closing with unread bytes would reset the connection and lose the answer: the client is to hang up
    socket.end(refusal(problemOf(error.code)))
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), limits.deaf)
    timer.unref()
    socket.once("close", () => clearTimeout(timer))
  })
  const ready = beforeRoutes(server)
  oneAfterAnother(server)
  countAddresses(server, limits, proxies)
  watchBodies(server, limits)
  watchReaders(server, limits)
  watchRests(server, limits)
  endUnused(server)
  ready()
  return server
}
