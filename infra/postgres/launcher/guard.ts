import { spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import type { Writable } from "node:stream"
import { Effect, type Scope } from "effect"
import { lastWords } from "../../lastWords.ts"
import { clusterOf } from "./cluster.ts"
import { findPostmaster } from "./server.ts"

/** Seconds that a Postgres is left without anybody: a service that crashed is started again within them. */
const patience = 30

/**
 * Waits until its input ends without a word, as it does when whoever holds the folder has ended, in whatever way; then
 * for someone else who holds it, and has Postgres then. Whoever is connected (a command that found the folder held) has
 * it too. What it is given: the folder, seconds, and the number of the process that holds the folder.
 */
export const script = `
read -r never && exit
cluster=$1/postgres/cluster
left=$2
while read -r holder <"$1/service.pid" && [ "$holder" = "$3" ]; do
  postmaster= port=
  { read -r postmaster && read -r _ && read -r _ && read -r port; } <"$cluster/postmaster.pid"
  if [ -n "$port" ] && grep -q ":$(printf %04X "$port") [0-9A-F:]* 01 " /proc/net/tcp; then left=$2
  elif [ "$left" -eq 0 ]; then
    folder=$(cd "$cluster" && pwd -P) && [ "$(readlink "/proc/$postmaster/cwd")" = "$folder" ] && kill -INT "$postmaster"
    exit
  else left=$((left - 1))
  fi
  sleep 1
done
`

/** The guard's input; `undefined` where no shell can be started. */
const begin = (dataDir: string, seconds: number, shell: string): Writable | undefined => {
  try {
    const args = [realpathSync(dataDir), String(seconds), String(process.pid)]
    const child = spawn(shell, ["-c", script, "sh", ...args], {
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      // a Ctrl-C is for the service
      detached: true,
      stdio: ["pipe", "ignore", "ignore"]
    })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.unref()
    return child.stdin
  } catch {
    return undefined
  }
}

/**
 * Sees to it that the folder's Postgres ends some time after this process, which holds the folder, has left it running
 * (because it was killed, say), unless another one has it then. On Linux, where there is a shell; elsewhere Postgres
 * stays until the next start.
 */
export const guard = (
  dataDir: string,
  seconds = patience,
  shell = "/bin/sh"
): Effect.Effect<void, never, Scope.Scope> =>
  process.platform !== "linux"
    ? Effect.void
    : Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => begin(dataDir, seconds, shell)),
          (input) =>
            Effect.sync(() => {
              // a word where no Postgres is left
              if (input) lastWords(input, findPostmaster(clusterOf(dataDir)) === undefined ? "\n" : "")
            })
        )
      )
