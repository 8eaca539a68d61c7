import { type ChildProcess, spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect, Layer, Semaphore } from "effect"
import { type FoundSecret, ScanFailed, SecretScan } from "#ports/SecretScan.ts"

/** Milliseconds for one text: the worst that were found took 80. */
const patience = 10_000
/** Milliseconds until a process has loaded what it needs, on a machine that is busy with everything else. */
const patienceToStart = 60_000
/** Milliseconds after which a process that nobody needed ends. */
const idle = 30_000
/** Texts that one process looks through: what the linter notes of its own work is never freed. */
const most = 2_000

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const house = here("../../")
const linter = here("./program.ts")

/** It reads itself and the packages, and has an empty environment. */
const options = (program: string): ReadonlyArray<string> => {
  const packages = here("../../node_modules")
  const files = ["package.json", "deno.json", "src/ports"].map((name) => `${house}${name}`)
  const readable = [here("."), program, ...files, ...new Set([packages, realpathSync(packages)])]
  return process.versions["deno"] === undefined
    ? [
        "--permission",
        ...readable.map((path) => `--allow-fs-read=${path}`),
        "--no-warnings",
        "--max-old-space-size=512"
      ]
    : [
        ...["run", "--quiet", "--no-prompt", "--cached-only", `--allow-read=${readable.join(",")}`, "--allow-env"],
        ...["--allow-sys", "--v8-flags=--max-old-space-size=512"]
      ]
}

interface Running {
  readonly child: ChildProcess
  readonly ready: Effect.Effect<void, ScanFailed>
  readonly ask: (path: string, text: string) => Effect.Effect<ReadonlyArray<FoundSecret>, ScanFailed>
  readonly isDead: () => boolean
}

const start = (program: string): Running => {
  const child = spawn(process.execPath, [...options(program), program], {
    cwd: house,
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
    // a terminal's Ctrl-C is not for it
    detached: true
  })
  let dead = false
  let said = ""
  /** Lines that nobody has asked for yet. */
  const lines: Array<string> = []
  let wake = () => {}
  const died = () => {
    dead = true
    wake()
  }
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (said + chunk).split("\n")
    said = parts.pop()!
    lines.push(...parts)
    wake()
  })
  child.once("exit", died).once("error", died)
  child.stdin.on("error", died)
  child.stdout.on("error", died)

  const next = Effect.callback<string, ScanFailed>((resume) => {
    wake = () => {
      const line = lines.shift()
      if (line === undefined && !dead) return
      wake = () => {}
      resume(line === undefined ? Effect.fail(new ScanFailed()) : Effect.succeed(line))
    }
    wake()
  })
  let isReady = false
  return {
    child,
    isDead: () => dead,
    ready: Effect.suspend(() => (isReady ? Effect.void : Effect.asVoid(next))).pipe(
      Effect.tap(() => Effect.sync(() => (isReady = true)))
    ),
    ask: (path, text) =>
      Effect.suspend(() => {
        child.stdin.write(`${JSON.stringify([path, text])}\n`)
        return Effect.map(next, (line): ReadonlyArray<FoundSecret> => JSON.parse(line))
      })
  }
}

/**
 * Secretlint in a process of its own, started when something is to be published and ended when it was not needed for a while:
 * an expression that runs wild in a text made for it can be killed, and costs nobody else time.
 */
export const layer = Layer.effect(
  SecretScan,
  Effect.suspend(() => make(linter, patience))
)

/** With another program, which is given up after so many milliseconds. */
export const make = (program: string, patience: number) =>
  Effect.gen(function* () {
    const one = yield* Semaphore.make(1)
    let running: Running | undefined
    let scanned = 0
    let timer: ReturnType<typeof setTimeout> | undefined

    const end = () => {
      clearTimeout(timer)
      running?.child.kill("SIGKILL")
      running = undefined
    }
    yield* Effect.addFinalizer(() => Effect.sync(end))

    const take = (): Running => {
      if (running !== undefined && (running.isDead() || scanned >= most)) end()
      if (running === undefined) scanned = 0
      running ??= start(program)
      scanned += 1
      clearTimeout(timer)
      return running
    }
    const rest = () => {
      timer = setTimeout(end, idle)
      timer.unref()
    }

    const within = (duration: number) => Effect.timeoutOrElse({ duration, orElse: () => Effect.fail(new ScanFailed()) })

    const scan = (path: string, text: string) =>
      Effect.suspend(() => {
        const { ready, ask } = take()
        return ready.pipe(within(patienceToStart), Effect.andThen(ask(path, text).pipe(within(patience))))
      }).pipe(
        // whatever it was at, its next answer would be of the wrong text
        Effect.onError(() => Effect.sync(end)),
        Effect.ensuring(Effect.sync(rest)),
        one.withPermits(1)
      )
    return SecretScan.of({ scan })
  })
