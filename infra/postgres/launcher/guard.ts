import { spawn } from "node:child_process"
import { realpathSync } from "node:fs"
import type { Writable } from "node:stream"
import { Effect, type Scope } from "effect"
import { lastWords } from "../../lastWords.ts"
import { clusterOf } from "./cluster.ts"
import { findPostmaster } from "./server.ts"

/** Seconds that a Postgres runs on without a service: one that crashed is started again within them. */
const patience = 30

/**
 * Waits until its input ends without a word, as it does when the holder of the folder ends in any way. Then ends
 * Postgres after some seconds, unless another process has come to hold the folder. A connected client (a command that
 * found the folder held) makes it count anew. Arguments: folder, seconds, and process id of the holder.
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
 * Ends the folder's Postgres some time after this process, which holds the folder, has left it running (because it was
 * killed, say), unless another process has it by then. Only on Linux, where there is a shell; elsewhere Postgres stays
 * until the next start.
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
              // a word if no Postgres is left, so that the guard just ends
              if (input) lastWords(input, findPostmaster(clusterOf(dataDir)) === undefined ? "\n" : "")
            })
        )
      )
