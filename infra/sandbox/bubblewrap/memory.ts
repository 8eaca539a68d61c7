import { readdir, readFile } from "node:fs/promises"
import { memoryBytes } from "./limits.ts"

/** Milliseconds between two looks: a command can take a few hundred megabytes in that time. */
const interval = 100

/**
 * Calls `tooMuch` once when a process and all below it have too much memory of their own together. Without a control
 * group, no limit of the kernel counts that. Gives the function that stops the watch.
 */
export const watchMemory = (first: Promise<number | undefined>, tooMuch: () => void): (() => void) => {
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async (pid: number) => {
    const pids = await family(pid)
    // The first sum counts what processes share once for each; the exact one costs more, so it comes second.
    if ((await sum(pids, resident)) > memoryBytes && (await sum(pids, proportional)) > memoryBytes && !stopped) {
      return tooMuch()
    }
    if (!stopped) timer = setTimeout(look, interval, pid)
  }
  void first.then((pid) => {
    if (pid !== undefined && !stopped) timer = setTimeout(look, interval, pid)
  })
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** A file's text; `""`: the process has just ended. */
const read = (path: string): Promise<string> => readFile(path, "latin1").catch(() => "")

/** A process and all below it. In a process namespace, orphans become children of its first process. */
const family = async (pid: number): Promise<ReadonlyArray<number>> => {
  const threads = await readdir(`/proc/${pid}/task`).catch((): Array<string> => [])
  const lists = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)))
  const children = lists.flatMap((list) =>
    list
      .split(" ")
      .filter((text) => text !== "")
      .map(Number)
  )
  return [pid, ...(await Promise.all(children.map(family))).flat()]
}

const sum = async (pids: ReadonlyArray<number>, of: (pid: number) => Promise<number>): Promise<number> =>
  (await Promise.all(pids.map(of))).reduce((total, bytes) => total + bytes, 0)

const kilobytes = (text: string, names: ReadonlyArray<string>): number =>
  names.reduce((total, name) => total + Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(text)?.[1] ?? 0), 0)

/** Leaves out files: mapped ones can be dropped, and those in memory have limits of their own. */
const resident = async (pid: number): Promise<number> =>
  1024 * kilobytes(await read(`/proc/${pid}/status`), ["RssAnon", "RssShmem"])

const proportional = async (pid: number): Promise<number> => {
  const text = await read(`/proc/${pid}/smaps_rollup`)
  return text === "" ? resident(pid) : 1024 * kilobytes(text, ["Pss_Anon", "Pss_Shmem"])
}
