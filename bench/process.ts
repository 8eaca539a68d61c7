import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import * as Test from "#test/freePort.ts"

const root = join(import.meta.dirname, "..")

export const freePort = Effect.promise(Test.freePort)

/** What the runtime is told before a program of the project. */
export const runtimeArgs = "deno" in process.versions ? ["run", "-A"] : []

/**
 * What an index of so many snippets, in a process of its own, tells of itself: the one JSON text that a program prints.
 * Dies when the program fails.
 */
export const toldByIndex = <A>(
  program: string,
  given: readonly [count: number, ...more: ReadonlyArray<number>],
  {
    tree = root,
    args = runtimeArgs,
    env = {}
  }: { readonly tree?: string; readonly args?: ReadonlyArray<string>; readonly env?: NodeJS.ProcessEnv } = {}
) =>
  Effect.promise(async (): Promise<A> => {
    const child = spawn(process.execPath, [...args, join(tree, program), ...given.map(String)], {
      cwd: tree,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = once(child, "exit")
    const said = await text(child.stdout)
    const [code] = await ended
    if (code !== 0) throw new Error(`an index of ${given[0]} snippets ended with ${code}`)
    return JSON.parse(said)
  })

interface Runtime {
  readonly path: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}
interface Start {
  /** Older trees have none: they run their sources. */
  readonly programOf?: (verb: "serve" | "cairn") => Promise<string>
  readonly either: () => Runtime
  readonly node: () => Runtime
  readonly sparing: (runtime: Runtime, megabytes: number) => Runtime
  readonly memoryLimit: () => number
}
const startOf = (tree: string) => createRequire(import.meta.url)(join(tree, "start.cjs")) as Start
const { either, node, sparing, memoryLimit } = startOf(root)

const { programs } = createRequire(import.meta.url)("../builds.cjs") as {
  readonly programs: { readonly serve: string; readonly cairn: string }
}

/** The file of the service, or of the command line, as a `tree` of the project runs it. */
export const programOf = async (verb: keyof typeof programs, tree = root): Promise<string> =>
  (await startOf(tree).programOf?.(verb)) ?? join(tree, programs[verb])

/** How `npm start` runs the service: what it takes, and how soon it is there, is another matter without it. */
export const served = () => sparing("deno" in process.versions ? either() : node(), memoryLimit())

const answers = async (url: string) => {
  try {
    const response = await fetch(url)
    await response.body?.cancel()
    return response.status < 500
  } catch {
    return false
  }
}

/** Dies when the process ends before that. */
const untilAnswers = (url: string, child: ChildProcess) =>
  Effect.promise(async () => {
    while (!(await answers(url))) {
      const end = child.exitCode ?? child.signalCode
      if (end !== null) throw new Error(`a program ended with ${end} before it answered`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })

export interface Running {
  readonly port: number
  readonly child: ChildProcess
  /** Milliseconds from the start of the process to its first good answer. */
  readonly firstAnswer: number
}

/** How a program of the project is run: the runtime's `flags`, and another `tree` of it than this one. */
interface How {
  readonly flags?: ReadonlyArray<string>
  readonly tree?: string
}

/** Imports snippets, a JSON text each, into a data folder by `cairn import`, of another `tree` if it is told. */
export const imported = (dataDir: string, lines: string, tree = root) =>
  Effect.suspend(() => {
    const file = join(dataDir, "snippets.jsonl")
    writeFileSync(file, lines)
    const { status, stderr } = spawnSync("node", ["start.cjs", "cairn", "import", file], {
      cwd: tree,
      encoding: "utf8",
      env: { ...process.env, CAIRN_DATA_DIR: dataDir, CAIRN_PARENT_PID: String(process.pid) }
    })
    return status === 0 ? Effect.void : Effect.die(new Error(stderr))
  })

/** Runs a program of the project on a free port, until the scope closes. */
export const program = Effect.fnUntraced(function* (
  file: string,
  asked: string,
  env: Record<string, string>,
  { flags = [], tree = root }: How = {}
) {
  const port = yield* freePort
  const isService = file === "src/main.ts"
  const runtime = isService ? served() : { path: process.execPath, args: runtimeArgs, env: {} }
  const path = isService ? yield* Effect.promise(() => programOf("serve", tree)) : join(tree, file)
  const started = performance.now()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(runtime.path, [...runtime.args, ...flags, path], {
        cwd: tree,
        // its parent is this process, not the one that started the benchmark
        env: { ...process.env, ...runtime.env, CAIRN_PARENT_PID: String(process.pid), PORT: String(port), ...env },
        stdio: ["ignore", "ignore", "inherit"]
      })
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
  )
  yield* untilAnswers(`http://127.0.0.1:${port}${asked}`, child)
  const running: Running = { port, child, firstAnswer: performance.now() - started }
  return running
})

/** The service on a data folder, with the key of its owner; `ready` is when every read model was, in milliseconds. */
export const service = Effect.fnUntraced(function* (dataDir: string, env: Record<string, string> = {}, how: How = {}) {
  const key = `cairn_live_${"b".repeat(43)}`
  const started = performance.now()
  const given = { CAIRN_DATA_DIR: dataDir, CAIRN_OWNER_KEY: key, CAIRN_RATE_LIMITS: "off", ANTHROPIC_API_KEY: "" }
  const running = yield* program("src/main.ts", "/health", { ...given, ...env }, how)
  yield* untilAnswers(`http://127.0.0.1:${running.port}/ready`, running.child)
  return { ...running, key, ready: performance.now() - started }
})

/** Resident memory of a process in MiB (Linux; elsewhere 0). */
export const residentMiB = (child: ChildProcess): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Processor time of a process since it began, in seconds, all its threads together (Linux; elsewhere 0). */
export const processorSeconds = (child: ChildProcess): number => {
  try {
    const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8")
    // the fields behind the name, which may hold anything; a hundred ticks a second
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}
