import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { connect, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { Redacted } from "effect"
import { calls, says, startMessagesApi } from "#test/MessagesApi.ts"
import { type Call, type Headers, send } from "#test/service/call.ts"
import { newInstallation, ownerKey, removeInstallation } from "#test/service.ts"
import type { Watcher } from "./Watcher.ts"

const program = fileURLToPath(new URL("./serve.ts", import.meta.url))
interface Start {
  readonly sparing: (
    runtime: object,
    megabytes: number
  ) => { readonly path: string; readonly args: ReadonlyArray<string>; readonly env: object }
  readonly either: () => { readonly path: string }
  readonly memoryLimit: () => number
}
const { either, sparing, memoryLimit } = createRequire(import.meta.url)("../../start.cjs") as Start
/** As `npm start` runs it. */
const runtime = sparing(either(), memoryLimit())

/** A tool that an agent calls. */
export interface Use {
  readonly name: string
  readonly input: unknown
}

/** A real service in a process of its own, with everything that its attackers need. */
export interface Target {
  readonly url: string
  readonly port: number
  /** As the owner. */
  readonly call: Call
  readonly as: (key: string, headers?: Headers) => Call
  /** A chat whose model calls these tools, turn by turn, in a workspace of this user. */
  readonly chat: (user: string, turns: ReadonlyArray<ReadonlyArray<Use>>) => ReturnType<Call>
  /** A connection to the service, of which nothing is read or written by itself. */
  readonly socket: () => Promise<Socket>
  /** Stops the service and starts it again; resolves when it is ready. */
  readonly restart: () => Promise<void>
  /** From now on it counts how long its event loop is held. */
  readonly begin: () => void
  /**
   * Milliseconds of processor time that its event loop was held at the longest, since the last `begin` or its start.
   */
  readonly held: () => Promise<number>
  /** What the service wrote to its output. */
  readonly output: () => string
  /** Whether the process lives. */
  readonly lives: () => boolean
}

const until = async (holds: () => Promise<boolean>, otherwise: () => string) => {
  const deadline = performance.now() + 240_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(otherwise())
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export const startTarget = async (watcher: Watcher): Promise<Target & { readonly close: () => Promise<void> }> => {
  const installation = await newInstallation()
  const scripts = new Map<string, ReadonlyArray<ReadonlyArray<Use>>>()
  const model = await startMessagesApi(({ body }) => {
    const [first] = body.messages
    const prompt = typeof first!.content === "string" ? first!.content : String(first!.content.at(-1)?.["text"])
    const turns = scripts.get(prompt) ?? []
    const turn = (body.messages.length - 1) / 2
    return turn < turns.length ? calls(...turns[turn]!) : says("Done.")
  })

  let url = ""
  let pid = 0
  let output = ""
  let lives = false
  let stop = async () => {}
  let say = (_line: string): void => {}

  const start = async () => {
    const child = spawn(runtime.path, [...runtime.args, program], {
      env: {
        ...runtime.env,
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        HOST: "127.0.0.1",
        PORT: "0",
        CAIRN_DATA_DIR: installation.dataDir,
        DATABASE_URL: Redacted.value(installation.database),
        CAIRN_OWNER_KEY: ownerKey,
        CAIRN_RATE_LIMITS: "off",
        ANTHROPIC_API_KEY: model.key,
        ANTHROPIC_BASE_URL: model.url,
        CAIRN_PARENT_PID: String(process.pid)
      },
      stdio: ["pipe", "pipe", "pipe"]
    })
    lives = true
    output = ""
    child.stdin.on("error", () => {})
    say = (line) => void child.stdin.write(`${line}\n`)
    const gone = once(child, "exit").then(() => {
      lives = false
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-100_000)
      })
    }
    const address = () => /^Cairn is at (\S+)$/m.exec(output)?.[1]
    const dead = () => `the service did not start:\n${output}`
    await until(async () => address() !== undefined || !lives, dead)
    if (!lives) throw new Error(dead())
    url = address()!
    pid = child.pid!
    // before it was there nobody asked it anything
    say("begin")
    watcher.watch(url, pid)
    await until(async () => (await fetch(`${url}/ready`)).status === 200, dead)
    stop = async () => {
      await watcher.blind()
      child.kill("SIGTERM")
      await gone
    }
  }

  const as =
    (key: string, always: Headers = {}): Call =>
    (method, path, body, headers = {}) =>
      send(url, method, path, body, { authorization: `Bearer ${key}`, ...always, ...headers })
  const call = as(ownerKey)

  await start()
  return {
    get url() {
      return url
    },
    get port() {
      return Number(new URL(url).port)
    },
    call,
    as,
    chat: (user, turns) => {
      const user_query = `script ${scripts.size}`
      scripts.set(user_query, turns)
      return call("POST", "/api/agent-chat", { user_query, user_id: user, org_id: "hostile", max_turns: 100 })
    },
    socket: async () => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1")
      socket.on("error", () => {})
      await once(socket, "connect")
      return socket
    },
    restart: async () => {
      await stop()
      await start()
    },
    begin: () => say("begin"),
    held: async () => {
      const asked = /^held (\S+)$/m
      output = output.replace(asked, "")
      say("end")
      await until(
        async () => asked.test(output) || !lives,
        () => "it does not say how long it was held"
      )
      return Number(asked.exec(output)?.[1] ?? Number.POSITIVE_INFINITY)
    },
    output: () => output,
    lives: () => lives,
    close: async () => {
      await stop()
      await model.close()
      removeInstallation(installation)
    }
  }
}
