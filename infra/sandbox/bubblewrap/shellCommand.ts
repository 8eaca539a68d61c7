import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import type { Readable, Writable } from "node:stream"
import { lastWords } from "../../lastWords.ts"
import { callFilter } from "./filter.ts"
import { floodBytes, processLimits } from "./limits.ts"
import type { Mounts } from "./Mounts.ts"
import { watchMemory } from "./memory.ts"
import { type Tools, unprivileged } from "./tools.ts"
import { commandWalls } from "./walls.ts"

export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly exit: number
  /** It was killed for its memory. */
  readonly tooMuchMemory: boolean
}

export interface ShellCommand {
  /** Settles when no process of the command is left. Rejects with the system's error when it can't be started. */
  readonly ended: Promise<Outcome>
  /** Kills all of its processes, if there still are any; settles as `ended` does. */
  readonly kill: () => Promise<Outcome>
}

const filter = callFilter()
const [info, filterFd] = [3, 4]

/** One argument can't be longer than 128 KiB: a longer script comes through a pipe. */
const longestArgument = 100_000
// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
const reader = 'script=$(cat; printf x); exec < /dev/null; eval "${script%x}"'

/** The first process of the namespace: waits for all others, and says nothing of how they end. */
const first = 'exec 3>&2 2> /dev/null; /bin/bash -c "$1" 2>&3 3>&-; exit $?'

/** Starts a command on a run's file systems. */
export const startShellCommand = (
  tools: Tools,
  mounts: Mounts,
  script: string,
  timeout: number,
  output: number
): ShellCommand => {
  const long = Buffer.byteLength(script) > longestArgument
  const [program, ...args] = [
    ...unprivileged(tools, filterFd),
    ...[tools.nsenter, "--target", String(mounts.pid), "--user", "--mount", "--preserve-credentials", "--"],
    ...[tools.prlimit, ...processLimits(timeout), tools.bwrap],
    ...commandWalls({ info, filter: filter === undefined ? undefined : filterFd }),
    ...["--", "/bin/sh", "-c", first, "sh", long ? reader : script]
  ]
  // Nothing of the service's environment, folder or output, see `unprivileged`.
  const child = spawn(program!, args, {
    cwd: "/",
    env: {},
    stdio: [long ? "pipe" : "ignore", "pipe", "pipe", "pipe", filter === undefined ? "ignore" : "pipe"],
    detached: true
  })
  // one that can't be started may have none of its pipes (Deno: or not those beyond stderr), and tells its error later
  if (!child.stdout || !child.stdio[info]) {
    const ended = new Promise<never>((_, reject) => child.once("error", reject))
    return settled(ended, () => ended)
  }
  yieldTo(child.pid)
  feed(child.stdin, script)
  if (filter !== undefined) feed(child.stdio[filterFd] as Writable, filter)
  const stdout = collect(child.stdout!, output)
  const stderr = collect(child.stderr!, output)
  const sandbox = firstProcess(child.stdio[info] as Readable)
  let failed: Error | undefined
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
    child.once("error", (error) => {
      failed = error
      resolve(127)
    })
  })

  let tooMuchMemory = false
  let over = false
  void exited.then(() => {
    over = true
  })
  const killAll = async () => {
    // its process id may belong to another process by now
    if (over) return
    // Until its first process is known, bubblewrap is at its walls: killed now, it might leave that process behind.
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, 5_000, undefined))
    const pid = await Promise.race([sandbox, exited.then(() => undefined), late])
    if (pid !== undefined) signal(pid)
    else child.kill("SIGKILL")
  }
  const stopWatching = watchMemory(sandbox, () => {
    tooMuchMemory = true
    void killAll()
  })
  const ended = (async (): Promise<Outcome> => {
    const exit = await exited
    stopWatching()
    if (failed !== undefined) throw failed
    const pid = await Promise.race([
      sandbox,
      new Promise<undefined>((resolve) => setTimeout(resolve, 1_000, undefined))
    ])
    if (pid !== undefined) await gone(pid)
    const [said, complained] = await Promise.all([stdout(), stderr()])
    return { stdout: said, stderr: complained, exit: tooMuchMemory ? 137 : exit, tooMuchMemory }
  })()
  return settled(ended, async () => {
    await killAll()
    return ended
  })
}

/** A command whose failure may come before anybody waits for its end. */
const settled = (ended: Promise<Outcome>, kill: () => Promise<Outcome>): ShellCommand => {
  ended.catch(() => {})
  return { ended, kill }
}

const feed = (stream: Writable | null, bytes: string | Uint8Array) => {
  if (stream === null) return
  stream.on("error", () => {})
  lastWords(stream, bytes)
}

/**
 * Puts the service before a command at the processor, and lets the kernel end the command first when memory runs out.
 */
const yieldTo = (pid: number | undefined) => {
  if (pid === undefined) return
  const steps = [
    () => setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL),
    () => writeFileSync(`/proc/${pid}/oom_score_adj`, "1000")
  ]
  for (const step of steps) {
    try {
      step()
    } catch {
      // It has ended already, or the system has no priorities.
    }
  }
}

/**
 * The host's id of the first process in the sandbox's process namespace. When it is gone, the kernel has ended all
 * others. `undefined`: bubblewrap ended before there was one.
 */
const firstProcess = (stream: Readable): Promise<number | undefined> =>
  new Promise((resolve) => {
    let text = ""
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      const pid = /"child-pid": *(\d+)/.exec(text)?.[1]
      if (pid !== undefined) resolve(Number(pid))
    })
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve(undefined))
  })

const signal = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended already.
  }
}

/** Waits until a process has ended, even if its exit status was not read yet. */
const gone = async (pid: number): Promise<void> => {
  for (;;) {
    try {
      const state = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.[0]
      if (state === "Z" || state === "X") return
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** Keeps the first bytes of a stream and counts the rest; a flood is read slowly. */
const collect = (stream: Readable, limit: number): (() => Promise<string>) => {
  const kept: Array<Buffer> = []
  let [size, total] = [0, 0]
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve())
  })
  stream.on("data", (chunk: Buffer) => {
    total += chunk.length
    if (size < limit) kept.push(chunk.subarray(0, limit - size))
    size = Math.min(limit, size + chunk.length)
    if (total > floodBytes) {
      stream.pause()
      setTimeout(() => stream.resume(), 2)
    }
  })
  return async () => {
    await ended
    const text = Buffer.concat(kept).toString()
    if (total <= limit) return text
    return `${text.replace(/\uFFFD$/, "")}\n[${total - limit} of ${total} bytes were cut]\n`
  }
}
