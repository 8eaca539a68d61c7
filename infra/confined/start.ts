import { spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { dirname } from "node:path"
import type { Writable } from "node:stream"
import { setImmediate } from "node:timers"
import { fileURLToPath } from "node:url"
import { lastWords } from "../lastWords.ts"
import { type FrameLimits, frame, unframe } from "./frames.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const house = here("../../")

export interface Confinement {
  /** The path of its program, of the house or a test's. */
  readonly program: string
  /** What else of the house it needs to load, beside `infra/confined` and packages: paths from the house's root. */
  readonly reads: ReadonlyArray<string>
  /** Limits of JavaScript's heap and, where the system counts it, of all memory that the process may write to. */
  readonly heapMegabytes: number
  readonly dataMegabytes: number
  /** Whether it may ask Deno on what machine it is, as some packages do when they are loaded. */
  readonly asksSystem?: boolean
  /** Limits of what it sends. */
  readonly limits: FrameLimits
}

/** A process that can read the house's code and nothing else, and the conversation with it. */
export interface ConfinedProcess {
  /** Sends a message, which is lost if the process is dead. */
  readonly send: (message: object) => void
  /** Whether it has ended, by itself or killed. */
  readonly isDead: () => boolean
  /** Resolves when it is gone. Messages of it that were not read yet never arrive. */
  readonly kill: () => Promise<void>
}

/**
 * The paths that it may read: not the whole house, which the data folder may be in. A link to packages counts as its
 * target. A program of a build has its modules in files beside it, as all others have (docs/decisions/0128).
 */
const readable = ({ program, reads }: Confinement): ReadonlyArray<string> => {
  const packages = here("../../node_modules")
  const isBuilt = program.endsWith(".mjs")
  const files = ["package.json", "deno.json", "engine", "infra/confined", ...reads].map((name) => `${house}${name}`)
  return [isBuilt ? dirname(program) : program, ...files, ...new Set([packages, realpathSync(packages)])]
}

/** The runtime's own sandbox is the second layer: the process reads its code, an empty environment and nothing else. */
const options = (confinement: Confinement): ReadonlyArray<string> => {
  const heap = `--max-old-space-size=${confinement.heapMegabytes}`
  // with other flags than the service's, it would replace the service's compiled code by its own: start.cjs
  const shared = process.env["DENO_V8_FLAGS"]
  const paths = readable(confinement)
  return process.versions["deno"] === undefined
    ? ["--permission", ...paths.map((path) => `--allow-fs-read=${path}`), "--no-warnings", heap]
    : [
        ...["run", "--quiet", "--no-prompt", "--cached-only", `--allow-read=${paths.join(",")}`, "--allow-env"],
        ...(confinement.asksSystem === true ? ["--allow-sys"] : []),
        `--v8-flags=${shared === undefined ? heap : `${shared},${heap}`}`
      ]
}

/**
 * A killed service tells nobody, and a busy process looks at nothing. So a shell beside it waits on a pipe that the
 * system closes with the service, then kills it. `exec` gives the program the first shell's process id.
 */
const watched = (megabytes: number) =>
  [
    "ulimit -c 0",
    `ulimit -d ${megabytes * 1000} 2>/dev/null`,
    "(read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 &",
    'exec 3<&-; exec "$@"'
  ].join("\n")
const hasShell = process.platform !== "win32"

/** A process that was started; `undefined`: the system has no process or no pipes left. */
const spawned = (file: string, args: ReadonlyArray<string>) => {
  try {
    const child = spawn(file, args, {
      cwd: house,
      // nothing of the service's environment, folder or output; its own group, so that a terminal's Ctrl-C is not for
      // it
      env: {},
      stdio: ["pipe", "pipe", "ignore", ...(hasShell ? (["pipe"] as const) : [])],
      detached: true
    })
    const { stdin, stdout, stdio } = child
    if (stdin && stdout) return { child, stdin, stdout, watch: stdio[3] as Writable | undefined }
    child.on("error", () => {})
  } catch {
    // some kinds of this failure are thrown
  }
  return undefined
}

/**
 * Starts a confined process. Calls `onMessage` for each of its messages, and `onDeath` once, when it ends or breaks off
 * without `kill`. A process that can't be started is dead at once, and calls `onDeath` like any other.
 */
export const startConfined = (
  confinement: Confinement,
  onMessage: (message: unknown) => void,
  onDeath: () => void
): ConfinedProcess => {
  const command = [process.execPath, ...options(confinement), confinement.program]
  const [file, ...args] = hasShell ? ["/bin/sh", "-c", watched(confinement.dataMegabytes), "sh", ...command] : command
  const started = spawned(file!, args)
  if (started === undefined) {
    setImmediate(onDeath)
    return { send: () => {}, isDead: () => true, kill: () => Promise.resolve() }
  }
  const { child, stdin, stdout, watch } = started
  let dead = false
  const died = () => {
    if (dead) return
    dead = true
    onDeath()
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()))
  // a line on its pipe lets the waiting shell go, which would kill the process that has this id next
  void ended.then(() => watch && lastWords(watch, "\n"))
  const read = unframe(confinement.limits, (message) => {
    if (!dead) onMessage(message)
  })
  stdout.on("data", (chunk: Uint8Array) => {
    if (dead) return
    try {
      read(chunk)
    } catch {
      child.kill("SIGKILL")
      died()
    }
  })
  child.once("exit", died).once("error", died)
  for (const pipe of [stdin, stdout, watch]) pipe?.on("error", died)
  lowerPriority(child.pid)
  return {
    send: (message) => {
      if (!dead) for (const part of frame(message)) stdin.write(part)
    },
    isDead: () => dead,
    kill: () => {
      dead = true
      child.kill("SIGKILL")
      return ended
    }
  }
}

/** Its work leaves the processor to the service. */
const lowerPriority = (pid: number | undefined) => {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system has no priorities.
  }
}
