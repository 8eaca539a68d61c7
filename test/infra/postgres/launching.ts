import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, type Scope } from "effect"
import type { EmbeddedPostgres } from "#infra/postgres/launcher/launcher.ts"

// The name has a space on purpose; mkdtemp's mode is 0700, so that as root no other user can enter.
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn launcher "))),
  (dataDir) => Effect.sync(() => rmSync(dataDir, { recursive: true, force: true }))
)

export const query = (server: Pick<EmbeddedPostgres, "url">, statement: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* PgConnection.make({ url: server.url, ssl: false })
      return (yield* connection.query(statement)).rows
    })
  )

/** Starts holder.ts on the folder; killed, as everything that can survive it, with the scope. */
export const holder = (dataDir: string, environment: Record<string, string> = {}, ...more: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const file = join(import.meta.dirname, "holder.ts")
      const args = process.versions["deno"] === undefined ? [file] : ["run", "-A", file]
      return spawn(process.execPath, [...args, dataDir, ...more], {
        env: { ...process.env, ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
    }),
    kill
  )

export const ready = (child: ChildProcess) =>
  Effect.callback<{ readonly port: number; readonly adopted: boolean; readonly said: string }>((resume) => {
    let said = ""
    child.stderr?.on("data", (chunk) => (said += chunk))
    child.stdout?.once("data", (line) => resume(Effect.succeed({ ...JSON.parse(String(line)), said })))
    child.once("close", () => resume(Effect.die(new Error(`The holder ended: ${said}`))))
  })

export const kill = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

export const postmaster = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8").split("\n")[0])

export const until = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep("5 millis")
  })
