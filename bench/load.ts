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
const client = (load: Load, until: number, note: (latency: number, ok: boolean) => void) =>
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
        `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${load.key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      )
    }
    socket.on("connect", ask)
    socket.on("error", reject)
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const head = received.indexOf("\r\n\r\n")
      if (head === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received.toString("latin1", 0, head))?.[1] ?? 0)
      if (received.length < head + 4 + length) return
      note(performance.now() - sent, received[9] === 0x32)
      received = received.subarray(head + 4 + length)
      ask()
    })
  })

/** Closed-loop load by so many connections for so long. */
export const run = async (load: Load): Promise<Loaded> => {
  const latencies: Array<number> = []
  let failed = 0
  const start = performance.now()
  const note = (latency: number, ok: boolean) => {
    latencies.push(latency)
    if (!ok) failed += 1
  }
  await Promise.all(Array.from({ length: load.connections }, () => client(load, start + load.milliseconds, note)))
  return { perSecond: latencies.length / ((performance.now() - start) / 1000), latencies, failed }
}
