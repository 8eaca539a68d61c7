import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { bodyOf, Problem, statusOf } from "#src/api/Problem.ts"
import { oneAfterAnother } from "./oneAfterAnother.ts"

/** How long who is slow is waited for, in milliseconds, and how many may be connected. */
export interface ListenerLimits {
  /** From a connection, or the end of the request before, to the end of a request's head. */
  readonly head: number
  /** To the end of its body; what a route takes has a shorter one of its own. */
  readonly request: number
  /** The same of a push, whose pack has a pace of its own (infra/git/push/pace.ts). */
  readonly push: number
  /** Between two requests. */
  readonly idle: number
  /**
   * In which nothing at all of an answer is taken; and in which the rest of a body comes that nobody reads any more.
   */
  readonly deaf: number
  /** How often this is looked at. */
  readonly look: number
  readonly connections: number
  /** Of one address, unless it is this machine's own or a trusted proxy's: behind one all have its address. */
  readonly ofOneAddress: number
}

export const defaults: ListenerLimits = {
  head: 15_000,
  request: 120_000,
  // its lines, its pack, and the rest of one that is refused
  push: 21 * 60_000,
  // longer than the proxies' own, which would else send into a closing connection
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

/** Ends answers of which nothing is taken. A long silence of the service's own is none of the reader's. */
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

/** An answer may come before its request is whole: the rest is not waited for, but the answer has to be heard. */
const watchRests = (server: Server, { deaf }: ListenerLimits) => {
  // by connection: on one there can be many such requests, each behind the rest of the one before
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
 * When the server ends, so do connections on which nothing has come yet: runtimes and browsers open them ahead, and a
 * server that waits for its requests would wait for these, too.
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
 * Keeps requests until somebody is there to answer them: the server listens before the routes are made, and what is
 * asked in between would be heard by nobody, and never be answered. Gives what is to be called when all but the routes
 * listen.
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
    // it is told before the listener is there
    queueMicrotask(() => {
      const due = early ?? []
      early = undefined
      for (const begin of due) begin()
    })
  }
  return () => void server.on("newListener", come)
}

const isPush = ({ url = "" }: IncomingMessage) => url.endsWith("/git-receive-pack")

/** Ends requests that do not come in time. The runtime's own limit is one for all, and a push has longer. */
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
 * A server that nobody holds by being slow, and that refuses what is no request as it refuses requests; `proxies` are
 * those through which others come.
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
    // a request without one is refused as others are, where hosts are looked at: by itself the answer would be empty
    requireHostHeader: false
  })
  server.maxConnections = limits.connections
  // what HTTP does not know may be passed over (RFC 9110, 10.1.1): by itself the answer would be an empty 417
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response))
  const refused = new WeakSet<Socket>()
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse }) => {
    // told already: each further part of what is no request is wrong again, and goes nowhere
    if (refused.has(socket) && error.code !== "ECONNRESET") return
    // an answer that has begun can't be told anything in between
    if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent) return socket.destroy()
    refused.add(socket)
    // closed with bytes that nobody read it would be reset, and the answer lost with it: the other side is to hang up
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
