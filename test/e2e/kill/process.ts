import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { clusterOf } from "#infra/postgres/launcher/cluster.ts"
import { programs } from "#test/programs.ts"
import { ownerKey } from "./calls.ts"

const flags = "Deno" in globalThis ? ["run", "-A"] : ["--disable-warning=ExperimentalWarning"]
// milliseconds, of a machine with much else to do
const readyWithin = 240_000

/** The service in a process of its own. */
export interface ServiceProcess {
  readonly url: string
  /** Milliseconds from its start until it was ready. */
  readonly startup: number
  /** What it has printed. */
  readonly output: () => string
  /** `kill -9`; resolves when the process is gone, with the processes that it had started. */
  readonly kill: () => Promise<ReadonlyArray<number>>
  /** SIGTERM; resolves when the process is gone. */
  readonly stop: () => Promise<void>
}

type Environment = { readonly [name: string]: string }

const environment = (
  dataDir: string,
  messagesApi: { readonly url: string; readonly key: string },
  more: Environment
) => ({
  ...process.env,
  // should this process be killed itself, the service ends and takes Postgres with it
  CAIRN_PARENT_PID: String(process.pid),
  CAIRN_DATA_DIR: dataDir,
  CAIRN_OWNER_KEY: ownerKey,
  CAIRN_RATE_LIMITS: "off",
  DATABASE_URL: "",
  HOST: "127.0.0.1",
  PORT: "0",
  ANTHROPIC_BASE_URL: messagesApi.url,
  ANTHROPIC_API_KEY: messagesApi.key,
  ...more
})

const gone = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once("exit", () => resolve())
  })

/** Starts the service; resolves as soon as it says where it is, which is before it is ready. */
export const greeted = async (
  dataDir: string,
  messagesApi: { readonly url: string; readonly key: string },
  more: Environment = {}
): Promise<ServiceProcess> => {
  const started = performance.now()
  const child = spawn(process.execPath, [...flags, programs.serve], {
    env: environment(dataDir, messagesApi, more),
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  let patience: NodeJS.Timeout | undefined
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return gone(child)
  }
  const url = await new Promise<string>((resolve, reject) => {
    const note = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /^Cairn is at (\S+)$/m.exec(output)?.[1]
      if (address !== undefined) resolve(address)
    }
    child.stdout.on("data", note)
    child.stderr.on("data", note)
    child.once("exit", () => reject(new Error(`the service ended:\n${output}`)))
    patience = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`the service did not start:\n${output}`))
    }, readyWithin)
    // one that has started may live as long as it is needed
  }).finally(() => clearTimeout(patience))
  return {
    url,
    startup: performance.now() - started,
    output: () => output,
    kill: async () => {
      const children = childrenOf(child.pid!)
      await end("SIGKILL")
      return children
    },
    stop: () => end("SIGTERM")
  }
}

/** Starts the service and waits until it is ready. */
export const startService = async (
  dataDir: string,
  messagesApi: { readonly url: string; readonly key: string },
  more: Environment = {}
): Promise<ServiceProcess> => {
  const started = performance.now()
  const service = await greeted(dataDir, messagesApi, more)
  let said = ""
  await until(
    async () => {
      const response = await fetch(`${service.url}/ready`)
      said = await response.text()
      return response.status === 200
    },
    () => `the service is not ready: ${said}\n${service.output()}`,
    readyWithin
  )
  return { ...service, startup: performance.now() - started }
}

/** Polls until a condition holds. */
export const until = async (
  condition: () => boolean | Promise<boolean>,
  otherwise: () => string,
  within = 120_000
): Promise<void> => {
  const deadline = performance.now() + within
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(otherwise())
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Processes that a process has started; none where the system does not tell. */
const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
    return children.filter((child) => !isGuard(child))
  } catch {
    return []
  }
}

/** What outlives its service for half a minute, to see to Postgres. */
const isGuard = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/postmaster.pid")
  } catch {
    // it has just gone
    return false
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // what has ended and waits to be noticed by its parent is no process any more
    return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** `kill -9`, also of a process that may just have ended by itself. */
export const killProcess = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** The data folder's postmaster, as it names itself. */
export const postmasterOf = (dataDir: string): number =>
  Number(readFileSync(join(clusterOf(dataDir).data, "postmaster.pid"), "utf8").split("\n")[0])

const prefix = "cairn-kill-"

/** A new data folder; its name has this process's number, so that a later run removes it if this one can't. */
export const newDataFolder = (): string => {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))) {
    if (!isAlive(Number(name.slice(prefix.length).split("-")[0]))) endAbandoned(join(tmpdir(), name))
  }
  return mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
}

const endAbandoned = (dataDir: string): void => {
  try {
    const postmaster = postmasterOf(dataDir)
    const folder = readFileSync(`/proc/${postmaster}/cmdline`, "utf8")
    if (folder.includes(dataDir)) process.kill(postmaster, "SIGQUIT")
  } catch {
    // no Postgres of this folder runs
  }
  rmSync(dataDir, { recursive: true, force: true })
}
