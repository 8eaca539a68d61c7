#!/usr/bin/env node
import process from "node:process"
/**
 * `cairn-mcp`: for programs that start their MCP servers and talk to them over standard input and output. It holds no tools of its own:
 * each line goes to the service's /mcp, what comes back goes out as lines. CAIRN_API_KEY and CAIRN_BASE_URL say where to and as whom.
 */
import { createInterface } from "node:readline"
import { variable } from "./environment.ts"

interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: { readonly [name: string]: unknown }
}

const url = `${(variable("CAIRN_BASE_URL") ?? "http://127.0.0.1:8080").replace(/\/+$/, "")}/mcp`
const key = variable("CAIRN_API_KEY") ?? ""
/** The session's headers; none until it began, and none in versions without sessions. */
let session: Record<string, string> = {}
let greeting: Message | undefined
const underWay = new Map<string, AbortController>()

const say = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`)
const warn = (text: string): void => void process.stderr.write(`cairn-mcp: ${text}\n`)
const isRequest = ({ id, method }: Message): boolean => id !== undefined && id !== null && method !== undefined

const encoded = (name: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith("=?")
    ? name
    : `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(name)))}?=`

/** What a version without sessions wants in the head; it names itself in each message. */
const routing = ({ method = "", params }: Message): Record<string, string> => {
  const meta = params?.["_meta"] as { readonly [name: string]: unknown } | undefined
  const version = meta?.["io.modelcontextprotocol/protocolVersion"]
  if (typeof version !== "string") return {}
  const name = params?.["name"] ?? params?.["uri"]
  const named = typeof name === "string" ? { "mcp-name": encoded(name) } : {}
  return { "mcp-protocol-version": version, "mcp-method": method, ...named }
}

const post = (message: Message, signal?: AbortSignal): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: {
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...session,
      ...routing(message)
    },
    body: JSON.stringify(message),
    signal: signal ?? null
  })

/** Begins a session anew with the greeting of the first one, which the service has ended or forgotten. */
const greetAgain = async (): Promise<void> => {
  session = {}
  const response = await post(greeting!)
  keepSession(response)
  await response.text()
  await (await post({ jsonrpc: "2.0", method: "notifications/initialized" } as Message)).text()
}

const keepSession = ({ headers }: Response): void => {
  const id = headers.get("mcp-session-id")
  if (id !== null) session = { "mcp-session-id": id, "mcp-protocol-version": headers.get("mcp-protocol-version") ?? "" }
}

/** The messages of an answer: one of JSON, or those of a stream as they come. */
async function* messagesOf(response: Response): AsyncGenerator<unknown> {
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    const text = await response.text()
    if (text !== "") yield JSON.parse(text)
    return
  }
  let rest = ""
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + text).split("\n\n")
    rest = events.pop() ?? ""
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data:"))
      if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(5)).join("\n"))
    }
  }
}

/** A refusal of the service's that is no JSON-RPC: its message, and its body as the data. */
const refusal = async (response: Response): Promise<{ code: number; message: string; data?: unknown }> => {
  const text = await response.text()
  const hint = response.status === 401 ? " cairn-mcp takes the key from CAIRN_API_KEY." : ""
  try {
    const data = JSON.parse(text) as { message?: string; error?: unknown; jsonrpc?: string }
    if (data.jsonrpc !== undefined && typeof data.error === "object")
      return data.error as { code: number; message: string }
    return { code: -32000, message: `${data.message ?? `Cairn answered ${response.status}.`}${hint}`, data }
  } catch {
    return { code: -32000, message: `${url} answered ${response.status}, and not as Cairn does. Check CAIRN_BASE_URL.` }
  }
}

const unreachable = (cause: unknown): { code: number; message: string } => {
  const { code = "" } = ((cause as { cause?: unknown }).cause ?? cause) as { code?: string }
  return {
    code: -32000,
    message: `${url} can't be reached${code && ` (${code})`}. Start Cairn, or check CAIRN_BASE_URL.`
  }
}

const fail = (message: Message, error: { readonly message: string }): void => {
  if (isRequest(message)) say({ jsonrpc: "2.0", id: message.id, error })
  else warn(error.message)
}

const pass = async (message: Message): Promise<void> => {
  const name = JSON.stringify(message.id)
  const control = new AbortController()
  if (isRequest(message)) underWay.set(name, control)
  if (message.method === "initialize") greeting = message
  try {
    let response = await post(message, control.signal)
    if (response.status === 404 && "mcp-session-id" in session && greeting !== undefined) {
      await greetAgain()
      response = await post(message, control.signal)
    }
    if (!response.ok) return fail(message, await refusal(response))
    if (message.method === "initialize") keepSession(response)
    for await (const answer of messagesOf(response)) say(answer)
  } catch (cause) {
    // of what was cancelled nobody wants to hear
    if (!control.signal.aborted) fail(message, unreachable(cause))
  } finally {
    underWay.delete(name)
  }
}

/** Ends the wait for a request; the service ends its work when the connection goes. */
const cancel = ({ params }: Message): void => underWay.get(JSON.stringify(params?.["requestId"]))?.abort()

const parsed = (line: string): Message | undefined => {
  try {
    const message = JSON.parse(line) as Message
    if (typeof message === "object" && message !== null) return message
  } catch {}
  say({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32700, message: "A line is no JSON object. Send one message a line." }
  })
  return undefined
}

const waiting = new Set<Promise<void>>()
for await (const line of createInterface({ input: process.stdin })) {
  const message = line.trim() === "" ? undefined : parsed(line)
  if (message === undefined) continue
  if (message.method === "notifications/cancelled") cancel(message)
  else {
    const passing = pass(message)
    waiting.add(passing)
    void passing.then(() => waiting.delete(passing))
    // what follows goes with the session that this one begins
    if (message.method === "initialize") await passing
  }
}
await Promise.all(waiting)
