import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { temporaryFolder } from "./http.ts"
import { residentMiB, service } from "./process.ts"
import { type Measured, milliseconds, thousands } from "./report.ts"

const root = join(import.meta.dirname, "..")

/** Snippets with words of their own, about as long as real ones. */
export const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const name = `function_${n % 997}_${n}`
    const body = Array.from(
      { length: 12 },
      (_, line) => `    value_${line} = compute_${(n * 7 + line) % 5000}(rows[${n}])`
    )
    return JSON.stringify({
      name,
      description: `Computes step ${n % 313} of batch ${n}`,
      source: `def ${name}(rows):\n${body.join("\n")}\n    return value_1\n`,
      language: "python"
    })
  }).join("\n")

/** From the start of the process to its first good answer and to `/ready`, and the memory that it then has. */
export const start = (scale: number) =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const fresh = yield* Effect.scoped(service(dataDir))
    const count = Math.max(500, Math.round(22_000 * scale))
    const file = join(dataDir, "snippets.jsonl")
    writeFileSync(file, lines(count))
    spawnSync(
      process.execPath,
      [...("deno" in process.versions ? ["run", "-A"] : []), join(root, "src/cli/main.ts"), "import", file],
      {
        cwd: root,
        env: { ...process.env, CAIRN_PARENT_PID: String(process.pid), CAIRN_DATA_DIR: dataDir },
        stdio: ["ignore", "ignore", "inherit"]
      }
    )
    const again = yield* Effect.scoped(
      Effect.map(service(dataDir), ({ firstAnswer, ready, child }) => ({
        firstAnswer,
        ready,
        resident: residentMiB(child)
      }))
    )
    const rows: Array<Measured> = [
      {
        name: "first answer, fresh folder",
        value: milliseconds(fresh.firstAnswer),
        bar: "< 2 s",
        met: fresh.firstAnswer < 2_000
      },
      {
        name: `first answer, folder with ${thousands(count)} snippets`,
        value: `${milliseconds(again.firstAnswer)}; ready after ${milliseconds(again.ready)}`,
        bar: "< 1 s with 22k",
        met: again.firstAnswer < 1_000
      },
      {
        name: `resident memory with ${thousands(count)} snippets`,
        value: `${thousands(again.resident)} MiB`,
        bar: "≤ 250 MB with 22k",
        met: again.resident <= 250
      }
    ]
    return rows
  }).pipe(Effect.scoped)
