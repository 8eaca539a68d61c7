import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, vi } from "vitest"
import type { Gates } from "#test/gates.ts"
import { programs } from "#test/programs.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * `cairn …` as a process of its own, on a data folder and the Postgres in it, that can be killed (`kill -9`); it ends
 * with its exit code, or with what it was killed by.
 */
export const startKillable = (
  dataDir: string,
  args: ReadonlyArray<string>,
  environment: { readonly [name: string]: string } = {}
) => {
  const runtime = process.versions["deno"] === undefined ? [] : ["run", "-A"]
  const child = spawn(process.execPath, [...runtime, programs.cairn, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      DATABASE_URL: "",
      KURRENTDB_URL: "",
      CAIRN_DATA_DIR: dataDir,
      CAIRN_PARENT_PID: String(process.pid),
      ...environment
    }
  })
  let [out, err] = ["", ""]
  child.stdout.on("data", (text) => void (out += text))
  child.stderr.on("data", (text) => void (err += text))
  const ended = new Promise<{ code: number | string; out: string; err: string }>((resolve) =>
    child.once("close", (code, signal) => resolve({ code: code ?? signal ?? "", out, err }))
  )
  return { ended, kill: () => child.kill("SIGKILL") }
}

/** The steps at which a program waits at gates, once it does; none if it has ended. */
export const untilItStops = async ({ ended }: Pick<ReturnType<typeof startKillable>, "ended">, gates: Gates) => {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  return await vi.waitFor(
    async () => {
      const at = await gates.waiting()
      assert.isTrue(at.length > 0 || isOver)
      return at
    },
    { timeout: 240_000, interval: 20 }
  )
}
