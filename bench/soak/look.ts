import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Named } from "./held.ts"

/** What a process holds. */
export interface Holding {
  /** MiB. */
  readonly resident: number
  readonly heap: number
  /** By what they are of: sockets, pipes, and files by their paths. */
  readonly descriptors: Named
  /** By their names; without those of the runtime's that have nothing to do, of which there are as many as had once. */
  readonly threads: Named
  /** Processes that it began, and what those began, by what they run. */
  readonly children: Named
}

/** What it holds at a moment. */
export interface Look extends Holding {
  /** Seconds since the load began. */
  readonly at: number
  /** Whether it is being asked; else it rests. */
  readonly working: boolean
  /** Operations that were done by then. */
  readonly operations: number
}

const status = (pid: number | string) => readFileSync(`/proc/${pid}/status`, "utf8")
const number = (text: string, field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0)

/** How often there is each. */
const counted = (names: ReadonlyArray<string>): Named => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** `undefined`: it went meanwhile. */
const ifThere = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** A file by its path; what has a number of its own by what it is. */
const descriptorsOf = (pid: number): Named =>
  counted(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const target = ifThere(() => readlinkSync(`/proc/${pid}/fd/${fd}`))
      return target === undefined ? [] : [target.replace(/:\[\d+\]$/, "")]
    })
  )

/** What Deno and Node call a thread that waits for a disk in another one's place. */
const waitsForDisks = /^(tokio-runtime-w|libuv-worker)/
/** Where in the system such a one is that has nothing to do, or computes. It goes when nothing is read any more. */
const isFree = /^(0|futex.*)$/

/** By their names, without numbers: one of those that wait for disks only where it waits for something, by for what. */
export const threadsOf = (pid: number): Named =>
  counted(
    readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const told = (file: string) => ifThere(() => readFileSync(`/proc/${pid}/task/${thread}/${file}`, "utf8").trim())
      const name = told("comm")
      if (name === undefined) return []
      if (!waitsForDisks.test(name)) return [name.replace(/\d+$/, "")]
      // a system that does not tell it has none that waits
      const place = told("wchan") ?? "0"
      return isFree.test(place) ? [] : [`${name} in ${place}`]
    })
  )

const commandOf = (pid: number): string | undefined => {
  const words = ifThere(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"))
  // the program of a runtime, else what is run
  return words?.findLast((word) => /\.[cm]?[jt]s$/.test(word))?.replace(/^.*\/(?=[^/]+\/[^/]+$)/, "") ?? words?.[0]
}

/** Processes that were begun by this one, and by those. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc").flatMap((name) => {
    try {
      if (!/^\d+$/.test(name) || number(status(name), "PPid") !== pid) return []
      return [Number(name), ...childrenOf(Number(name))]
    } catch {
      return []
    }
  })

/** One value of a metric without labels, or with these. */
export const valueOf = (metrics: string, name: string): number =>
  Number(
    metrics
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")[1] ?? Number.NaN
  )

/**
 * Looks at a process and what it says of itself. Postgres' processes are not among its children: they come and go with
 * connections.
 */
export const lookAt = async (pid: number, metricsPort: number): Promise<Holding> => {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const own = status(pid)
  const notPostgres = (child: number) => ifThere(() => !status(child).startsWith("Name:\tpostgres")) ?? false
  return {
    resident: number(own, "VmRSS") / 1024,
    heap: valueOf(metrics, 'cairn_memory_bytes{kind="heap"}') / 1024 ** 2,
    descriptors: descriptorsOf(pid),
    threads: threadsOf(pid),
    children: counted(
      childrenOf(pid)
        .filter(notPostgres)
        .flatMap((child) => commandOf(child) ?? [])
    )
  }
}

/** Bytes on the disk below a folder. */
export const bytesOf = (folder: string): number => {
  let sum = 0
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    try {
      const { blocks, isDirectory } = { blocks: statSync(path).blocks, isDirectory: statSync(path).isDirectory() }
      sum += blocks * 512 + (isDirectory ? bytesOf(path) : 0)
    } catch {
      // it went meanwhile
    }
  }
  return sum
}

/** Least squares: how much `y` grows when `x` does by one. */
export const slopeOf = (points: ReadonlyArray<readonly [x: number, y: number]>): number => {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const spread = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
  return points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / spread
}
