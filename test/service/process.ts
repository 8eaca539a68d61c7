import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Redacted } from "effect"
import { programs } from "#test/programs.ts"
import type { TestInstallation } from "#test/service.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const runtimeArguments = process.versions["deno"] === undefined ? [] : ["run", "-A"]

type Environment = { readonly [name: string]: string }

/** The service as a process of its own, started as `npm start` does it: only its output and its files tell of it. */
export const startProcess = (installation: TestInstallation, environment: Environment = {}) =>
  startProgram(installation, [...runtimeArguments, programs.serve], environment)

/**
 * The same, and started again by itself where it says that this may help, as `npm start` does it on a machine that has
 * much to do.
 */
export const startServed = (installation: TestInstallation, environment: Environment = {}) =>
  startProgram(installation, [...runtimeArguments, `${root}start.cjs`, "serve"], environment)

/** Python's own: a terminal around a program, whose end is told to it, and which ends as it does. */
const onTerminal = `
import os, pty, signal, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
while True:
    try:
        told = os.read(terminal, 65536)
    except OSError:
        break
    if not told:
        break
    os.write(1, told)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`

/** The service as `npm start` runs it for who sits at a terminal. */
export const startOnTerminal = (installation: TestInstallation, environment: Environment = {}) => {
  const served = [process.execPath, ...runtimeArguments, `${root}start.cjs`, "serve"]
  return startProgram(installation, ["-c", onTerminal, ...served], environment, "python3")
}

/** `node start.cjs …`, as npm runs it. */
export const startNpm = (installation: TestInstallation, ...args: ReadonlyArray<string>) =>
  startProgram(installation, [...runtimeArguments, `${root}start.cjs`, ...args], {})

/** `cairn …`, as a process of its own. */
export const startCli = (installation: TestInstallation, ...args: ReadonlyArray<string>) =>
  startProgram(installation, [...runtimeArguments, programs.cairn, ...args], {})

/** The same, where the environment says something besides. */
export const startCliWith = (
  installation: TestInstallation,
  environment: Environment,
  ...args: ReadonlyArray<string>
) => startProgram(installation, [...runtimeArguments, programs.cairn, ...args], environment)

/** What it is told of this process's environment; of V8's flags see test/flags.ts. */
export const ofThis = () =>
  Object.fromEntries(
    ["PATH", "HOME", "NODE_COMPILE_CACHE", "DENO_TOKIO_EVENT_INTERVAL", "DENO_V8_FLAGS"].map((name) => [
      name,
      process.env[name]
    ])
  )

const startProgram = (
  { database, dataDir }: TestInstallation,
  args: ReadonlyArray<string>,
  environment: Environment,
  program = process.execPath
) => {
  const child = spawn(program, args, {
    env: {
      ...ofThis(),
      PORT: "0",
      CAIRN_DATA_DIR: dataDir,
      DATABASE_URL: Redacted.value(database),
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const output = { text: "" }
  const heard = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output.text += text
      for (const hear of heard) hear()
    })
  }
  const ended = once(child, "close").then(([code, signal]): number | string => code ?? signal)
  return {
    output,
    pid: child.pid,
    /** The process's exit code or the signal that ended it. */
    ended,
    /** What it said that fits the pattern; fails when it ends without. */
    said: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const hear = () => {
          const found = pattern.exec(output.text)
          if (found === null) return
          heard.delete(hear)
          resolve(found)
        }
        heard.add(hear)
        hear()
        void ended.then(() => reject(new Error(`it ended and had said:\n${output.text}`)))
      }),
    stop: (signal: NodeJS.Signals = "SIGTERM") => {
      child.kill(signal)
      return ended
    }
  }
}
