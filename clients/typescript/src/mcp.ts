#!/usr/bin/env node
import process from "node:process"
/**
 * `cairn-mcp`: for programs that start their MCP servers and talk to them over standard input and output. It holds no
 * tools of its own: each line goes to the service's /mcp, what comes back goes out as lines. CAIRN_API_KEY and
 * CAIRN_BASE_URL say where to and as whom.
 */
import { createInterface } from "node:readline"
import { variable } from "./environment.ts"
import { argumentsOf, usage } from "./mcp/arguments.ts"
import { type Failure, isRequest, type Message, messagesOf } from "./mcp/messages.ts"
import { Service } from "./mcp/Service.ts"
import { VERSION } from "./version.ts"

const say = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`)
const warn = (text: string): void => void process.stderr.write(`cairn-mcp: ${text}\n`)

const pipe = async (service: Service): Promise<void> => {
  const underWay = new Map<string, AbortController>()
  const waiting = new Set<Promise<void>>()
  // nobody reads any more: there is nobody left to work for
  process.stdout.on("error", () => process.exit(0))

  const fail = ({ id }: Message, error: Failure): void => say({ jsonrpc: "2.0", id: id ?? null, error })

  const pass = async (message: Message): Promise<void> => {
    const name = JSON.stringify(message.id)
    const control = new AbortController()
    if (isRequest(message)) underWay.set(name, control)
    const failure = await service.pass(message, say, control.signal)
    if (isRequest(message) && underWay.get(name) === control) underWay.delete(name)
    if (failure === undefined) return
    if (isRequest(message)) fail(message, failure)
    else warn(failure.message)
  }

  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue
    const messages = messagesOf(line)
    if ("code" in messages) {
      fail({}, messages)
      continue
    }
    for (const message of messages) {
      // the service hears why, and ends its work for the request; else it would take it for a lost connection
      if (message.method === "notifications/cancelled") {
        const control = underWay.get(JSON.stringify(message.params?.["requestId"]))
        if (control === undefined) continue
        const telling = service.tell(message).finally(() => control.abort())
        waiting.add(telling)
        void telling.then(() => waiting.delete(telling))
      } else {
        const passing = pass(message)
        waiting.add(passing)
        void passing.then(() => waiting.delete(passing))
        // what follows goes with the session that this one begins
        if (message.method === "initialize") await passing
      }
    }
  }
  await Promise.all(waiting)
  await service.end()
}

const given = argumentsOf(process.argv.slice(2))
if (given.to === "help") process.stdout.write(usage)
else if (given.to === "version") process.stdout.write(`${VERSION}\n`)
else if (given.to === "complain") {
  warn(`${given.complaint}\n\n${usage}`)
  process.exitCode = 2
} else {
  const baseUrl = variable("CAIRN_BASE_URL") ?? "http://127.0.0.1:8080"
  await pipe(new Service(baseUrl, variable("CAIRN_API_KEY") ?? "", given.headers))
}
