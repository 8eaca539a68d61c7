import { connect } from "node:net"

export interface Load {
  readonly port: number
  readonly connections: number
  readonly milliseconds: number
  /** The next request's path and JSON body. */
  readonly next: () => { readonly path: string; readonly body: string }
  readonly key: string
}

export interface Loaded {
  readonly perSecond: number
  /** Milliseconds, one a request. */
  readonly latencies: ReadonlyArray<number>
  /** Answers that were no 2xx. */
  readonly failed: number
}

/** One connection that asks again as soon as it is answered; a bare socket, so that the client costs little. */
const client = (load: Load, until: number, note: (latency: number, refusal: string | undefined) => void) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(load.port, "127.0.0.1")
    socket.setNoDelay(true)
    let received = Buffer.alloc(0)
    let sent = 0
    const ask = () => {
      if (performance.now() >= until) {
        socket.end()
        return resolve()
      }
      const { path, body } = load.next()
      sent = performance.now()
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${load.port}\r\nauthorization: Bearer ${load.key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      )
    }
    socket.on("connect", ask)
    socket.on("error", reject)
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const head = received.indexOf("\r\n\r\n")
      if (head === -1) return
      const length = /content-length: (\d+)/i.exec(received.toString("latin1", 0, head))?.[1]
      // an answer in chunks is none that is measured here
      if (length === undefined) return reject(new Error(received.toString("utf8", 0, head)))
      const end = head + 4 + Number(length)
      if (received.length < end) return
      note(performance.now() - sent, received[9] === 0x32 ? undefined : received.toString("utf8", head + 4, end))
      received = received.subarray(end)
      ask()
    })
  })

/**
 * Closed-loop load by so many connections for so long. Fails when most of it was refused: refusals are not what is
 * measured.
 */
export const run = async (load: Load): Promise<Loaded> => {
  const latencies: Array<number> = []
  let failed = 0
  const start = performance.now()
  let first: string | undefined
  const note = (latency: number, refusal: string | undefined) => {
    latencies.push(latency)
    if (refusal === undefined) return
    first ??= refusal
    failed += 1
  }
  await Promise.all(Array.from({ length: load.connections }, () => client(load, start + load.milliseconds, note)))
  if (failed * 2 > latencies.length) throw new Error(`${failed} of ${latencies.length} requests were refused: ${first}`)
  return { perSecond: latencies.length / ((performance.now() - start) / 1000), latencies, failed }
}
