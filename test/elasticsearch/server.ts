import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "#test/freePort.ts"
import { fetchDistribution, findJava } from "./distribution.ts"

const prefix = "cairn-elasticsearch-"
/** Elasticsearch refuses root. */
const nobody = 65534
const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

/** Milliseconds; some 15 s on an idle machine. */
const patience = 180_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const signal = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

const isHealthy = async (url: string, nodes: number): Promise<boolean> => {
  try {
    const answer = await fetch(`${url}/_cluster/health?wait_for_nodes=${nodes}&timeout=1s`, {
      signal: AbortSignal.timeout(3_000)
    })
    return answer.ok && ((await answer.json()) as { number_of_nodes: number }).number_of_nodes === nodes
  } catch {
    return false
  }
}

/** Ends the servers of runs that were killed, and removes what they left. */
const sweep = (): void => {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))) {
    const folder = join(tmpdir(), name)
    try {
      const owner = Number(readFileSync(join(folder, "owner"), "utf8"))
      if (signal(owner, 0)) continue
      if (existsSync(join(folder, "pid"))) signal(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // one that is just being made
    }
  }
}

interface NodePorts {
  readonly folder: string
  readonly http: number
  readonly transport: number
}

/** Writes what a node is started with, before its first start: what it would write there itself it can't read. */
const configure = (home: string, { folder, http, transport }: NodePorts, cluster: ReadonlyArray<NodePorts>): void => {
  for (const name of ["config", "data", "logs", "tmp"]) mkdirSync(join(folder, name))
  for (const name of ["jvm.options", "log4j2.properties"])
    cpSync(join(home, "config", name), join(folder, "config", name))
  const nodes = cluster.map(({ transport }) => `127.0.0.1:${transport}`)
  const settings = {
    "cluster.name": `${prefix}${cluster[0]!.http}`,
    "node.name": `node-${http}`,
    "path.data": join(folder, "data"),
    "path.logs": join(folder, "logs"),
    "http.port": http,
    "transport.port": transport,
    "xpack.security.enabled": false,
    // a disk that is nearly full is no matter of the tests
    "cluster.routing.allocation.disk.threshold_enabled": false,
    // where it is one, it is looked at as often as may be
    "cluster.info.update.interval": "10s",
    ...(nodes.length === 1
      ? { "discovery.type": "single-node" }
      : {
          "discovery.seed_hosts": nodes,
          // one of two may go, but not this one
          "cluster.initial_master_nodes": [`node-${cluster[0]!.http}`],
          "node.roles": http === cluster[0]!.http ? ["master", "data"] : ["data"]
        })
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  writeFileSync(join(folder, "config", "elasticsearch.yml"), `${lines.join("\n")}\n`)
  if (account.uid === undefined) return
  chmodSync(folder, 0o755)
  const own = (path: string, isFolder: boolean): void => {
    chownSync(path, nobody, nobody)
    if (!isFolder) return
    for (const entry of readdirSync(path, { withFileTypes: true })) own(join(path, entry.name), entry.isDirectory())
  }
  own(folder, true)
}

/** A server that runs. */
export interface Elasticsearch {
  readonly url: string
  /** Sends the server itself a signal: `SIGKILL`, `SIGSTOP`, `SIGCONT`. One that has ended hears none. */
  readonly signal: (name: NodeJS.Signals) => void
  readonly hasEnded: boolean
  /**
   * After `SIGKILL`: waits until it is gone, starts it again with what it had written, and waits until it sees so many
   * nodes.
   */
  readonly restart: (nodes?: number) => Promise<void>
  /** Ends it, and removes what it had written. */
  readonly stop: () => Promise<void>
}

class Node implements Elasticsearch {
  readonly url: string
  readonly #home: string
  readonly #folder: string
  readonly #java: string
  #child: ChildProcess | undefined

  constructor(home: string, java: string, { folder, http }: NodePorts) {
    this.#home = home
    this.#java = java
    this.#folder = folder
    this.url = `http://127.0.0.1:${http}`
  }

  get #pid(): number {
    return Number(readFileSync(join(this.#folder, "pid"), "utf8"))
  }

  start(): void {
    const options = process.env["ES_JAVA_OPTS"] ?? this.#java
    rmSync(join(this.#folder, "pid"), { force: true })
    // in a group of its own: it must not hear a Ctrl-C before who uses it has
    const child = spawn("nice", ["-n", "5", join(this.#home, "bin/elasticsearch"), "-p", join(this.#folder, "pid")], {
      ...account,
      cwd: this.#folder,
      detached: true,
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"],
        HOME: this.#folder,
        ES_TMPDIR: join(this.#folder, "tmp"),
        ES_JAVA_HOME: findJava(),
        ES_PATH_CONF: join(this.#folder, "config"),
        ES_JAVA_OPTS: options,
        // what launches it
        CLI_JAVA_OPTS: "-XX:TieredStopAtLevel=1"
      }
    })
    child.unref()
    this.#child = child
  }

  signal(name: NodeJS.Signals): void {
    if (!this.hasEnded) signal(this.#pid, name)
  }

  async ended(): Promise<void> {
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.signalCode === null) await once(child, "exit")
  }

  async restart(nodes = 1): Promise<void> {
    await this.ended()
    this.start()
    await ready(this, nodes)
  }

  get hasEnded(): boolean {
    return this.#child?.exitCode !== null || this.#child.signalCode !== null
  }

  get log(): string {
    const file = readdirSync(join(this.#folder, "logs")).find((name) => /^cairn-elasticsearch-\d+\.log$/.test(name))
    return file === undefined ? "" : readFileSync(join(this.#folder, "logs", file), "utf8").slice(-4_000)
  }

  async stop(): Promise<void> {
    if (existsSync(join(this.#folder, "pid"))) this.signal("SIGKILL")
    else this.#child?.kill("SIGTERM")
    await this.ended()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const ready = async (node: Node, nodes: number): Promise<void> => {
  const deadline = Date.now() + patience
  while (!(await isHealthy(node.url, nodes))) {
    if (node.hasEnded || Date.now() > deadline) {
      const { log } = node
      await node.stop()
      throw new Error(`Elasticsearch did not start:\n${log}`)
    }
    await pause(200)
  }
}

/** A server that lives for minutes is compiled once: half the processor time of a start. */
const short = "-Xms512m -Xmx512m -XX:TieredStopAtLevel=1 -XX:-AlwaysPreTouch"

/**
 * Starts a cluster of so many nodes on this machine alone; the first is its only master. `java`: other options than
 * those of servers that live for minutes, which `ES_JAVA_OPTS` says anyway.
 */
export const startElasticsearch = async (count = 1, java = short): Promise<ReadonlyArray<Elasticsearch>> => {
  const home = await fetchDistribution()
  sweep()
  const places: Array<NodePorts> = []
  for (let at = 0; at < count; at++) {
    const folder = mkdtempSync(join(tmpdir(), prefix))
    writeFileSync(join(folder, "owner"), `${process.pid}`)
    places.push({ folder, http: await freePort(), transport: await freePort() })
  }
  for (const place of places) configure(home, place, places)
  const nodes = places.map((place) => new Node(home, java, place))
  for (const node of nodes) node.start()
  await Promise.all(nodes.map((node) => ready(node, count)))
  return nodes
}
