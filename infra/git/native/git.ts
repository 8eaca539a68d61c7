import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import fs from "node:fs"
import { constants, devNull, setPriority } from "node:os"
import path from "node:path"

/** Native git, as it was found when the service started. */
export interface NativeGit {
  readonly program: string
}

/** Nothing of the service's environment, and no configuration but what is said here. */
const environment = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: devNull,
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  // replace refs and grafts would show another history than the log's
  GIT_NO_REPLACE_OBJECTS: "1"
}

/** Repositories are the service's own, whoever the folder belongs to; no hook of one is ever run. */
const always = [
  "safe.directory=*",
  `core.hooksPath=${devNull}`,
  "core.fsync=all",
  "gc.auto=0",
  "maintenance.auto=false"
]

type Version = readonly [major: number, minor: number]

/** Older ones do not sync what they are told to, or don't know the options that packing and serving use. */
const oldest: Version = [2, 36]

/** One of any age can check a repository. */
export const anyVersion: Version = [0, 0]

const isNewEnough = (version: string, since: Version): boolean => {
  const [, major = -1, minor = 0] = (/git version (\d+)\.(\d+)/.exec(version) ?? []).map(Number)
  return major > since[0] || (major === since[0] && minor >= since[1])
}

/** What programs have said: a start looks for one that stores, one that serves and one that takes pushes. */
const said = new Map<string, string>()

/** What a program says of its version; throws where it does not run. */
const versionOf = (program: string): string => {
  const known = said.get(program)
  if (known !== undefined) return known
  const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"]
  const version = execFileSync(program, ["version"], { env: environment, stdio, encoding: "utf8" })
  said.set(program, version)
  return version
}

/** The git that is on the path, if it runs and is not too old. */
export const findGit = (since = oldest): NativeGit | undefined => {
  const name = process.platform === "win32" ? "git.exe" : "git"
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue
    const program = path.join(folder, name)
    if (!fs.existsSync(program)) continue
    try {
      if (isNewEnough(versionOf(program), since)) return { program }
    } catch {
      // not one that runs here
    }
  }
  return undefined
}

/**
 * What a Bourne shell does to start its arguments with so many seconds of the processor. A lower bound that holds
 * already stays; where none can be set, nothing is started.
 */
export const withinProcessor = (seconds: number): string =>
  `ulimit -c 0; ulimit -S -t ${seconds} 2>/dev/null || [ "$(ulimit -S -t)" != unlimited ] && exec "$@"`

/** Starts git on a repository. What it says on stderr is dropped: it may quote names of files. */
export const startGit = (
  { program }: NativeGit,
  gitdir: string,
  args: ReadonlyArray<string>,
  options: {
    readonly environment?: { readonly [name: string]: string }
    readonly low?: boolean
    /**
     * Seconds of the processor, after which the system ends it with `SIGXCPU`; where there is no Bourne shell it is not
     * bounded.
     */
    readonly processor?: number
  } = {}
): ChildProcessWithoutNullStreams => {
  const settings = always.flatMap((setting) => ["-c", setting])
  const asked = [program, ...settings, `--git-dir=${gitdir}`, ...args]
  const bounded =
    options.processor === undefined || process.platform === "win32"
      ? asked
      : ["/bin/sh", "-c", withinProcessor(options.processor), "git", ...asked]
  const child = spawn(bounded[0]!, bounded.slice(1), {
    cwd: gitdir,
    env: { ...environment, ...options.environment },
    stdio: ["pipe", "pipe", "pipe"]
  })
  child.stderr.resume()
  // whoever reads gets the end of the output; a write to who has ended is of no use to anybody
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {})
  if (options.low === true) lowerPriority(child.pid)
  return child
}

const lowerPriority = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // it has ended already, or the system has no priorities
  }
}
