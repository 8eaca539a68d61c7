import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import fs from "node:fs"
import { constants, devNull, setPriority } from "node:os"
import path from "node:path"
import { PassThrough } from "node:stream"

/** Native git, as it was found when the service started. */
export interface NativeGit {
  readonly program: string
}

/** git's whole environment: nothing of the service's, and no configuration files. */
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

/** Settings of each call. Repositories are the service's own, whoever owns the folder; their hooks never run. */
const always = [
  "safe.directory=*",
  `core.hooksPath=${devNull}`,
  "core.fsync=all",
  "gc.auto=0",
  "maintenance.auto=false"
]

type Version = readonly [major: number, minor: number]

/** Older versions do not sync what they are told to, or lack options that packing and serving use. */
const oldest: Version = [2, 36]

/** A git of any version can check a repository. */
export const anyVersion: Version = [0, 0]

const isNewEnough = (version: string, since: Version): boolean => {
  const [, major = -1, minor = 0] = (/git version (\d+)\.(\d+)/.exec(version) ?? []).map(Number)
  return major > since[0] || (major === since[0] && minor >= since[1])
}

/** Each program's version, because a start looks for a git that stores, one that serves and one that takes pushes. */
const said = new Map<string, string>()

/** What `git version` prints; throws when the program does not run. */
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
 * The script with which a Bourne shell starts its arguments with at most `seconds` of processor time. A lower bound
 * that holds already stays. If no bound can be set, nothing is started.
 */
export const withinProcessor = (seconds: number): string =>
  `ulimit -c 0; ulimit -S -t ${seconds} 2>/dev/null || [ "$(ulimit -S -t)" != unlimited ] && exec "$@"`

/**
 * A child that the system has no pipes for comes without them, and tells its error only later. So its caller, which
 * waits for that error, gets others: they take all that is written, and say nothing.
 */
const withPipes = (child: ChildProcessWithoutNullStreams): ChildProcessWithoutNullStreams =>
  child.stdin
    ? child
    : Object.assign(child, { stdin: new PassThrough().resume(), stdout: new PassThrough(), stderr: new PassThrough() })

/**
 * Starts git on a repository. The caller listens to the child's errors before anything else may run: that git can't be
 * started is one. Its stderr is dropped unless the caller listens to it: it may quote names of files.
 */
export const startGit = (
  { program }: NativeGit,
  gitdir: string,
  args: ReadonlyArray<string>,
  options: {
    readonly environment?: { readonly [name: string]: string }
    readonly low?: boolean
    /**
     * Seconds of processor time, after which the system ends git with `SIGXCPU`. Not bounded on Windows, which has no
     * Bourne shell.
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
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"]
  const env = { ...environment, ...options.environment }
  const child = withPipes(spawn(bounded[0]!, bounded.slice(1), { cwd: gitdir, env, stdio }))
  child.stderr.resume()
  // errors of these are ignored: a reader sees the output end, and writing to a git that has ended is of no use
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
