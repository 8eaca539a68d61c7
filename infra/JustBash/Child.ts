import { spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { fileURLToPath } from "node:url"
import { Effect, Queue } from "effect"
import { frame, unframe } from "./frames.ts"
import { heapMegabytes } from "./limits.ts"
import type { FromChild, ToChild } from "./protocol.ts"

/** A process with a shell in it. What it sends lies in `inbox` until taken; nothing is added once it was killed. */
export interface Child {
  readonly inbox: Queue.Dequeue<FromChild>
  readonly send: (message: ToChild) => void
  readonly isDead: () => boolean
  readonly kill: Effect.Effect<void>
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const program = here("./program.ts")
const house = here("../../")

/** What it needs to load: not the whole house, which the data folder may be in. A link to packages counts as its target. */
const readable = (): ReadonlyArray<string> => {
  const packages = here("../../node_modules")
  const files = ["package.json", "deno.json"].map((name) => `${house}${name}`)
  return [here("."), ...files, ...new Set([packages, realpathSync(packages)])]
}

/** The runtime's own sandbox is the second layer: it reads this program, an empty environment and nothing else. */
const options = (): ReadonlyArray<string> =>
  process.versions["deno"] === undefined
    ? [
        ...["--permission", ...readable().map((path) => `--allow-fs-read=${path}`), "--no-warnings"],
        `--max-old-space-size=${heapMegabytes}`
      ]
    : [
        ...["run", "--quiet", "--no-prompt", "--cached-only", `--allow-read=${readable().join(",")}`, "--allow-env"],
        `--v8-flags=--max-old-space-size=${heapMegabytes}`
      ]

export const startChild: Effect.Effect<Child> = Effect.gen(function* () {
  const inbox = yield* Queue.unbounded<FromChild>()
  // Nothing of the service's environment, folder or output. Its own group, so that a terminal's Ctrl-C is not for it.
  const child = spawn(process.execPath, [...options(), program], {
    cwd: house,
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
    detached: true
  })
  let dead = false
  const died = () => {
    if (!dead) Queue.offerUnsafe(inbox, { type: "died" })
    dead = true
  }
  const kill = () => {
    dead = true
    child.kill("SIGKILL")
  }
  const read = unframe((message) => {
    if (!dead) Queue.offerUnsafe(inbox, message as FromChild)
  })
  child.stdout.on("data", (chunk: Uint8Array) => {
    if (dead) return
    try {
      read(chunk)
    } catch {
      child.kill("SIGKILL")
      died()
    }
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()))
  child.once("exit", died)
  child.once("error", died)
  child.stdin.on("error", died)
  child.stdout.on("error", died)
  lowerPriority(child.pid)
  return {
    inbox,
    send: (message) => {
      if (dead) return
      for (const part of frame(message)) child.stdin.write(part)
    },
    isDead: () => dead,
    kill: Effect.suspend(() => {
      kill()
      return Effect.promise(() => ended)
    })
  }
})

/** A command at work leaves the processor to the service. */
const lowerPriority = (pid: number | undefined) => {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system has no priorities.
  }
}
