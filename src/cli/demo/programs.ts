import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { readConfig } from "#src/config/config.ts"

const root = join(import.meta.dirname, "../../..")

const { programOf }: { readonly programOf: (verb: Verb) => Promise<string> } = createRequire(import.meta.url)(
  join(root, "start.cjs")
)
type Verb = "serve" | "cairn"

type Environment = { readonly [name: string]: string }

/** Whether the tour uses the engines that the environment names, which must be empty, instead of its own. */
export const onNamed = process.argv.includes("--engines")
const engines = ["DATABASE_URL", "KURRENTDB_URL", "ELASTICSEARCH_URL"]
const ownEngines = onNamed
  ? {}
  : Object.fromEntries(
      [...engines, ...Object.keys(process.env).filter((name) => name.startsWith("ELASTICSEARCH_"))].map((name) => [
        name,
        ""
      ])
    )

/** The configuration of a program of the tour. */
export const configOf = (dataDir: string) => readConfig({ ...process.env, ...ownEngines, CAIRN_DATA_DIR: dataDir })

/** Starts one of the project's programs with the runtime that runs this one. */
const start = async (
  verb: Verb,
  args: ReadonlyArray<string>,
  dataDir: string,
  environment: Environment = {}
): Promise<ChildProcess> =>
  spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), await programOf(verb), ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      CAIRN_DATA_DIR: dataDir,
      HOST: "127.0.0.1",
      PORT: "0",
      INIT_CWD: root,
      // what the tour shows must not depend on other configuration here; and no child outlives it
      ...ownEngines,
      ANTHROPIC_API_KEY: "",
      CAIRN_OWNER_KEY: "",
      CAIRN_RATE_LIMITS: "",
      CAIRN_SANDBOX: "",
      // on a busy machine, an index elsewhere may be more than a second behind
      CAIRN_READ_PATIENCE_MS: "60000",
      ...environment,
      CAIRN_PARENT_PID: String(process.pid)
    }
  })

const listen = (child: ChildProcess) => {
  const said = { out: "", err: "" }
  child.stdout!.setEncoding("utf8").on("data", (text: string) => void (said.out += text))
  child.stderr!.setEncoding("utf8").on("data", (text: string) => void (said.err += text))
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)))
  return { said, ended }
}

/** Runs `cairn …` to its end. */
export const cairn = async (dataDir: string, ...args: ReadonlyArray<string>) => {
  const child = await start("cairn", args, dataDir)
  const { said, ended } = listen(child)
  return { code: await ended, ...said }
}

/** A running service, and how to ask it. */
export interface Running {
  readonly url: string
  /** The owner's key. */
  readonly key: string
  /**
   * Sends a request with the owner's key, or another one; answers with the JSON, and fails on anything but a success.
   */
  readonly ask: <A>(method: "GET" | "POST", path: string, body?: object, as?: string) => Promise<A>
  /** Ends it as an operator would, and waits until it has ended. */
  readonly stop: () => Promise<void>
}

/** Looks again and again until there is something to see; fails after `milliseconds`. */
export const within = async <A>(
  milliseconds: number,
  what: string,
  look: () => A | undefined | Promise<A | undefined>
): Promise<A> => {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`${what} took longer than ${milliseconds / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Starts the service on a free port, and waits until it answers. Its key is `known`, or the one that it made. */
export const serve = async (dataDir: string, environment: Environment = {}, known?: string): Promise<Running> => {
  const child = await start("serve", [], dataDir, environment)
  const { said, ended } = listen(child)
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
  }
  try {
    const url = await within(240_000, "starting the service", () => {
      if (child.exitCode !== null) throw new Error(`the service did not start: ${said.err || said.out}`)
      return /Cairn is at (http:\S+)/.exec(said.out)?.[1]
    })
    const keyFile = join(dataDir, "owner.key")
    const written = () => (existsSync(keyFile) ? readFileSync(keyFile, "utf8").trim() || undefined : undefined)
    const key = known ?? (await within(240_000, "writing the key", written))
    const ask = async <A>(method: string, path: string, body?: object, as = key): Promise<A> => {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return JSON.parse(text) as A
    }
    return { url, key, ask, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
