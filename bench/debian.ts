import { spawnSync } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { freePort } from "./process.ts"

const programs = "/usr/lib/postgresql/15/bin"

/** Why Debian's PostgreSQL 15 can't be measured here; `undefined`: it can. */
export const whyNoDebian = (): string | undefined =>
  existsSync(join(programs, "initdb")) ? undefined : `there is no ${programs}`

/** It refuses root. */
const nobody = 65534
const account = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const run = (program: string, args: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const { status, stderr } = spawnSync(join(programs, program), args, {
      ...account,
      cwd: "/",
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"]
    })
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
  })

/**
 * A server of Debian's PostgreSQL 15 that writes as durably as the embedded one, in a temporary folder that goes with
 * the scope.
 */
export const debianDatabase = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-bench-15-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  if (account.uid !== undefined) chownSync(folder, nobody, nobody)
  const [data, password] = [join(folder, "data"), join(folder, "password")]
  writeFileSync(password, "password", { mode: 0o644 })
  const port = yield* freePort
  yield* run("initdb", [
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "scram-sha-256",
    `--pwfile=${password}`,
    "-E",
    "UTF8",
    "--locale=C.UTF-8"
  ])
  const options = `-p ${port} -h 127.0.0.1 -k '' -c wal_compression=on -c max_wal_size=1GB`
  yield* Effect.acquireRelease(
    run("pg_ctl", ["-D", data, "-l", join(folder, "log"), "-w", "-o", options, "start"]),
    () => run("pg_ctl", ["-D", data, "-m", "immediate", "stop"])
  )
  return { url: Redacted.make(`postgres://postgres:password@127.0.0.1:${port}/postgres`) }
})
