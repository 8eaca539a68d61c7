import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Console, Effect } from "effect"
import { makeFolder } from "#ports/makeFolder.ts"
import { type Binaries, program } from "./binaries.ts"
import { failed, failedTo, LaunchFailed } from "./LaunchFailed.ts"
import { run, type SystemAccount } from "./privileges.ts"

/** The files of one Postgres in a data folder. They appear together, by one rename, when initdb has ended well. */
export interface Cluster {
  /** `<data folder>/postgres`, or what it links to. */
  readonly home: string
  /** Postgres's own folder. */
  readonly data: string
  readonly password: string
  readonly log: string
}

export const username = "cairn"
export const database = "postgres"

/** The cluster of a data folder, which may be a link to where it lies. */
export const clusterOf = (dataDir: string): Cluster => {
  const link = join(dataDir, "postgres")
  if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return clusterAt(link)
  // a relative one begins at the folder that it is in
  return clusterAt(resolve(realpathSync(dataDir), readlinkSync(link)))
}

const clusterAt = (home: string): Cluster => ({
  home,
  data: join(home, "cluster"),
  password: join(home, "password"),
  log: join(home, "server.log")
})

/** Whether the cluster has been made. */
export const exists = (cluster: Cluster): boolean => existsSync(join(cluster.data, "PG_VERSION"))

/** Fails with `other-major` when the cluster needs another Postgres than the one that is installed. */
export const checkMajor = (cluster: Cluster, binaries: Binaries): Effect.Effect<void, LaunchFailed> =>
  Effect.try({
    try: () => (exists(cluster) ? readFileSync(join(cluster.data, "PG_VERSION"), "utf8").trim() : binaries.major),
    catch: failedTo(`read ${cluster.data}`)
  }).pipe(
    Effect.flatMap((major) =>
      major === binaries.major
        ? Effect.void
        : Effect.fail(
            new LaunchFailed({
              reason: "other-major",
              message: `The data folder ${cluster.home} is of Postgres ${major}, this release runs ${binaries.major}.`
            })
          )
    )
  )

/**
 * Makes the cluster: UTF-8, ordered by code point, password login over 127.0.0.1 only. It grows beside its place and is
 * renamed there when complete, so that an initdb that was cut off leaves nothing that looks like a cluster.
 */
export const initialize = Effect.fnUntraced(function* (cluster: Cluster, binaries: Binaries, account: SystemAccount) {
  yield* Console.error(`Making a Postgres ${binaries.major} cluster in ${cluster.home}.`)
  const unfinished = clusterAt(`${cluster.home}.new-${randomBytes(4).toString("hex")}`)
  yield* Effect.try({
    try: () => {
      removeUnfinished(cluster)
      makeFolder(unfinished.home)
      writeFileSync(unfinished.password, randomBytes(32).toString("hex"), { mode: 0o600, flush: true })
      for (const path of [unfinished.home, unfinished.password]) account.own(path)
    },
    catch: failedTo(`write to ${dirname(cluster.home)}`)
  })
  const { code, output } = yield* run(account, binaries, program(binaries, "initdb"), [
    `--pgdata=${unfinished.data}`,
    `--username=${username}`,
    `--pwfile=${unfinished.password}`,
    "--auth=scram-sha-256",
    // iterations would slow each connection as well as each guess, and nobody guesses this password of 32 random bytes
    "--set=scram_iterations=1",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
    // One call instead of one for each of a thousand files.
    ...(process.platform === "linux" ? ["--sync-method=syncfs"] : [])
  ])
  if (code !== 0) {
    yield* Effect.ignore(Effect.try(() => rmSync(unfinished.home, { recursive: true, force: true })))
    return yield* failed(`initdb failed in ${cluster.home} (${code}): ${output.slice(-600)}`)
  }
  yield* Effect.try({
    try: () => {
      const access = join(unfinished.data, "pg_hba.conf")
      writeFileSync(access, "host all all 127.0.0.1/32 scram-sha-256\n", { flush: true })
      chmodSync(unfinished.home, 0o700)
      renameSync(unfinished.home, cluster.home)
      syncFolder(dirname(cluster.home))
    },
    catch: failedTo(`write to ${cluster.home}`)
  })
})

/** Removes what a killed start left behind. If its initdb still writes there, a later start removes the rest. */
const removeUnfinished = (cluster: Cluster): void => {
  const parent = dirname(cluster.home)
  const prefix = `${cluster.home.slice(parent.length + 1)}.new-`
  if (!existsSync(parent)) return
  for (const name of readdirSync(parent).filter((name) => name.startsWith(prefix))) {
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // See above.
    }
  }
}

const syncFolder = (folder: string): void => {
  if (process.platform === "win32") return
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
