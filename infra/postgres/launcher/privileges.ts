import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, lchownSync, lstatSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { Console, Effect } from "effect"
import { type Binaries, environment, program } from "./binaries.ts"
import { failedTo, type LaunchFailed } from "./LaunchFailed.ts"
import { relocate } from "./relocate.ts"

/** The account that Postgres's programs run as: Postgres refuses root. */
export interface SystemAccount {
  /** Starts a program as this account. */
  readonly spawn: (command: string, args: ReadonlyArray<string>, options: SpawnOptions) => ChildProcess
  /** The kernel's user id for what the programs write; `undefined`: this process's own. */
  readonly uid: number | undefined
  /** Gives a file to the account, if that is not this process's own. */
  readonly own: (path: string) => void
}

const nobody = 65534

const same: SystemAccount = {
  spawn: (command, args, options) => spawn(command, args, options),
  uid: undefined,
  own: () => {}
}

/**
 * A user namespace in which this root looks like nobody. Postgres accepts that, while to the kernel the files stay
 * root's: a checkout under a folder that only root may enter works where it lies.
 */
const namespace = ["--user", `--map-user=${nobody}`, `--map-group=${nobody}`]

const namespaced: SystemAccount = {
  spawn: (command, args, options) => spawn("unshare", [...namespace, command, ...args], options),
  uid: 0,
  own: (path) => lchownSync(path, 0, 0)
}

const dropped = (uid: number, gid: number): SystemAccount => ({
  spawn: (command, args, options) => spawn(command, args, { ...options, uid, gid }),
  uid,
  own: (path) => lchownSync(path, uid, gid)
})

/**
 * Chooses the account. If root's folders are closed to any other user, Postgres and its cluster are copied elsewhere.
 */
export const chooseAccount = (
  dataDir: string,
  binaries: Binaries
): Effect.Effect<{ readonly account: SystemAccount; readonly binaries: Binaries }, LaunchFailed> =>
  Effect.gen(function* () {
    if (process.platform === "win32" || process.getuid?.() !== 0) return { account: same, binaries }
    if (process.platform === "linux" && works(["unshare", ...namespace], {}, dataDir, binaries)) {
      return { account: namespaced, binaries }
    }
    const owner = statSync(dataDir)
    const [uid, gid] = owner.uid === 0 ? [nobody, nobody] : [owner.uid, owner.gid]
    const account = dropped(uid, gid)
    const reachable = yield* Effect.try({
      try: () => {
        const reaches = () => works([], { uid, gid }, dataDir, binaries)
        return reaches() || (letThrough(dataDir, gid) && reaches())
      },
      catch: failedTo(`let user ${uid} enter ${dataDir}`)
    })
    if (reachable) {
      yield* Console.error(`Running Postgres as user ${uid}: this system refuses user namespaces to root.`)
      return { account, binaries }
    }
    const moved = yield* relocate(dataDir, binaries)
    yield* Console.error(
      `Keeping Postgres and its data in ${moved.data}: user ${uid} can't reach ${dataDir} and this system refuses user namespaces to root.`
    )
    return { account, binaries: moved.binaries }
  })

/** Whether a process that is started through `through` can enter the folders and run Postgres. */
const works = (
  through: ReadonlyArray<string>,
  identity: { uid?: number; gid?: number },
  dataDir: string,
  binaries: Binaries
): boolean => {
  const check = 'cd "$1" && cd "$2" && exec "$3" -V'
  const folders = [dataDir, join(binaries.root, "share"), program(binaries, "postgres")]
  const [command, ...args] = [...through, "/bin/sh", "-c", check, "sh", ...folders]
  const env = { ...environment(binaries), PATH: process.env["PATH"] }
  return spawnSync(command!, args, { ...identity, env, cwd: "/", stdio: "ignore" }).status === 0
}

/** Lets one group pass through a data folder that root owns, but not list it. */
const letThrough = (dataDir: string, gid: number): boolean => {
  const { mode, gid: group } = statSync(dataDir)
  if (group !== 0 && group !== gid) return false
  chownSync(dataDir, 0, gid)
  chmodSync(dataDir, (mode & 0o7707) | 0o010)
  return true
}

/** Gives the folder and all in it to the account. The folder itself comes last: an interrupted change is done again. */
export const ownAll = (account: SystemAccount, folder: string): void => {
  if (account.uid === undefined || !existsSync(folder)) return
  if (statSync(folder).uid === account.uid) return
  const walk = (path: string): void => {
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) walk(join(path, name))
    account.own(path)
  }
  walk(folder)
}

/** Runs one of Postgres's programs to its end. `output` is stdout and stderr. */
export const run = (account: SystemAccount, binaries: Binaries, command: string, args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number | string; readonly output: string }>((resume) => {
    const child = account.spawn(command, args, {
      env: environment(binaries),
      cwd: dirname(binaries.root),
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout?.on("data", collect)
    child.stderr?.on("data", collect)
    child.once("error", (cause) => resume(Effect.succeed({ code: "not started", output: cause.message })))
    child.once("close", (code, signal) => resume(Effect.succeed({ code: code ?? String(signal), output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
