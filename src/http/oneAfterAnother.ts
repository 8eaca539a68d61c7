import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

type Requested = [IncomingMessage, ServerResponse]

/** The most bytes that a parser is given at once, and the least of a head. */
const most = 4_096
const least = 128
const endOfHead = "\r\n\r\n"

/** A connection's requests. */
interface Line {
  /** Each begins a request that waits for the answers ahead of it. */
  readonly waiting: Array<() => void>
  /** Whether one is being answered. */
  busy: boolean
  /** The last one that the parser has come upon. */
  last: IncomingMessage | undefined
  /** Gives the parser more of what has come. */
  feed: () => void
}

/** What the runtimes' server keeps on a connection. */
interface Served extends Socket {
  /** The server itself has paused it, and its parser must not be given anything. */
  readonly _paused?: boolean
  /** Reads directly from the connection, past all listeners, as long as it has consumed it. */
  readonly parser?: { _consumed: boolean; readonly unconsume: () => void } | null
  readonly _handle?: { _consumed: boolean } | null
}

/** Ends the parser's direct reading. Node does so when somebody listens to data; Deno does not. */
const unconsume = ({ parser, _handle }: Served): void => {
  if (!parser?._consumed) return
  parser.unconsume()
  parser._consumed = false
  if (_handle) _handle._consumed = false
}

/**
 * Gives the connection's parser small parts of what comes, and nothing while a request waits for the answer ahead of
 * it. The runtime would give it 64 KiB at once, which can be 3,500 requests, all of them objects before the first one
 * is answered.
 */
const byParts = (socket: Served, line: Line): void => {
  const parse = socket.listeners("data")
  let held: Buffer | undefined
  let feeding = false
  /** Whether it is paused because of what is held, and not by the server, which waits until a body is taken. */
  let stopped = false

  /** Bytes of the next part: up to the end of a head where one is expected, so that no further request begins. */
  const next = (from: Buffer): number => {
    if (line.last?.complete === false) return most
    const end = from.subarray(0, most).indexOf(endOfHead, least - endOfHead.length)
    return end < 0 ? most : end + endOfHead.length
  }

  line.feed = () => {
    if (feeding) return
    feeding = true
    while (held !== undefined && line.waiting.length === 0 && !socket._paused) {
      const size = next(held)
      const part = held.subarray(0, size)
      held = held.length > size ? held.subarray(size) : undefined
      for (const listener of parse) listener.call(socket, part)
      // a client that was refused, or has hung up, has nothing more to say
      if (!socket.writable) held = undefined
    }
    feeding = false
    if (held !== undefined) socket.pause()
    else if (stopped) socket.resume()
    stopped = held !== undefined
  }

  socket.removeAllListeners("data")
  unconsume(socket)
  socket.on("data", (part: Buffer) => {
    // a parser that has refused what came fails at each further part, and each adds a listener to Deno's server
    if (!socket.writable) return
    held = held === undefined ? part : Buffer.concat([held, part])
    line.feed()
  })
  // the server itself resumes reading when a body or an answer was taken
  socket.on("resume", line.feed)
}

/**
 * Answers the requests of a connection one after another, and reads one of them ahead. Further ones would only lie in
 * memory until the answers ahead of them were taken.
 */
export const oneAfterAnother = (server: Server): void => {
  const lines = new WeakMap<Socket, Line>()
  const lineOf = (socket: Socket): Line => {
    const known = lines.get(socket)
    if (known !== undefined) return known
    const line: Line = { waiting: [], busy: false, last: undefined, feed: () => {} }
    lines.set(socket, line)
    return line
  }
  server.on("connection", (socket: Socket) => byParts(socket, lineOf(socket)))
  const emit = server.emit.bind(server) as (event: string, ...args: ReadonlyArray<unknown>) => boolean
  const begin = (line: Line, event: string, [request, response]: Requested): void => {
    line.busy = true
    // also when it is cut: then no request waits any more
    response.once("close", () => {
      line.busy = false
      if (request.socket.destroyed) return
      line.waiting.shift()?.()
      line.feed()
    })
    emit(event, request, response)
  }
  server.emit = (event: string, ...args: Array<unknown>): boolean => {
    if (event !== "request" && event !== "checkContinue") return emit(event, ...args)
    const requested = args as Requested
    const line = lineOf(requested[0].socket)
    line.last = requested[0]
    if (line.busy) line.waiting.push(() => begin(line, event, requested))
    else begin(line, event, requested)
    return true
  }
}
