import { once } from "node:events"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"

/** What it has been asked, and what it does to an answer on its way. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
}

/** A way to Elasticsearch that can be cut, seen through, or said to be something else. */
export const startProxy = async (target: string, tls?: { readonly key: string; readonly cert: string }) => {
  const seen: Array<Asked> = []
  /** Requests that still go through whole; of the next the answer is lost, or all of it. */
  let left = Number.POSITIVE_INFINITY
  let losesAnswer = false
  let refused: RegExp | undefined
  let held: { readonly path: RegExp; readonly released: Promise<void> } | undefined
  let respond: ((answer: ServerResponse) => void) | undefined

  const pass = async (given: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const { method = "", url = "", headers } = given
    seen.push({ method, path: url, authorization: headers.authorization })
    if (held?.path.test(url)) await held.released
    if (respond !== undefined) {
      respond(answer)
      return
    }
    if (refused?.test(url)) {
      given.socket.destroy()
      return
    }
    const place = left--
    if (place < 0 || (place === 0 && !losesAnswer)) {
      given.socket.destroy()
      return
    }
    const to = request(new URL(url, target), { method, headers }, (from) => {
      if (place === 0) {
        from.resume().on("end", () => given.socket.destroy())
        return
      }
      answer.writeHead(from.statusCode!, from.headers)
      from.pipe(answer)
    })
    to.on("error", () => given.socket.destroy())
    given.pipe(to)
  }
  const server = tls === undefined ? createServer(pass) : createTlsServer(tls, pass)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    seen: seen as ReadonlyArray<Asked>,
    /**
     * Lets so many requests through, then none; of the first that is cut Elasticsearch has heard where only the answer
     * is lost.
     */
    cutAfter: (requests: number, answerOnly: boolean) => {
      left = requests
      losesAnswer = answerOnly
    },
    /** Lets no request to such a path through. */
    refuse: (path: RegExp) => {
      refused = path
    },
    /** Lets what is asked of such a path wait, until it is let go. */
    hold: (path: RegExp) => {
      const { promise: released, resolve } = Promise.withResolvers<void>()
      held = { path, released }
      return () => {
        held = undefined
        resolve()
      }
    },
    heal: () => {
      left = Number.POSITIVE_INFINITY
      respond = undefined
    },
    /** Answers in Elasticsearch's place. */
    answer: (by: (answer: ServerResponse) => void) => {
      respond = by
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
