import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { Effect } from "effect"
import { temporaryFolder } from "./http.ts"
import { programOf, runtimeArgs, service } from "./process.ts"
import { type Measured, median, milliseconds } from "./report.ts"

const root = join(import.meta.dirname, "..")

/** Milliseconds that a process of this runtime takes to its good end. */
const took = async (args: ReadonlyArray<string>, env: { readonly [name: string]: string }): Promise<number> => {
  const began = performance.now()
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: "ignore" })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`)
  return performance.now() - began
}

/** The runtime, and the library that every verb is written in: less than that no verb takes. */
const leastOfAll =
  "deno" in process.versions
    ? ["eval", 'import "effect"; import "effect/cli"']
    : ["--input-type=module", "-e", 'import "effect"; import "effect/cli"']

/** The runtime alone. */
const nothing = "deno" in process.versions ? ["eval", "0"] : ["-e", "0"]

/**
 * Verbs beside a running service, in turns with a process that only loads what all of them are written in, and an empty
 * one.
 */
export const commandLine = (scale: number) =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const { port, key } = yield* service(dataDir)
    const here = { CAIRN_PARENT_PID: String(process.pid), CAIRN_DATA_DIR: dataDir }
    const asking = { ...here, CAIRN_URL: `http://127.0.0.1:${port}`, CAIRN_API_KEY: key }
    const verbs: ReadonlyArray<readonly [string, ReadonlyArray<string>, typeof here]> = [
      ["cairn --help", ["--help"], here],
      ["cairn key list, on the data folder", ["key", "list"], here],
      ["cairn workspace list, the same", ["workspace", "list"], here],
      ["cairn key list, by address and key", ["key", "list"], asking],
      ["cairn search, the same", ["search", "parse a CSV file"], asking]
    ]
    const turns = Math.max(3, Math.round(15 * scale))
    const least: Array<number> = []
    const empty: Array<number> = []
    const cairn = yield* Effect.promise(() => programOf("cairn"))
    const times = verbs.map((): Array<number> => [])
    yield* Effect.promise(async () => {
      for (let turn = 0; turn <= turns; turn++) {
        // the first one fills the runtime's caches
        const noted = (list: Array<number>, time: number) => turn > 0 && list.push(time)
        noted(empty, await took(nothing, here))
        noted(least, await took(leastOfAll, here))
        for (const [index, [, args, env]] of verbs.entries()) {
          noted(times[index]!, await took([...runtimeArgs, cairn, ...args], env))
        }
      }
    })
    return verbs.map(([name], index): Measured => {
      const time = median(times[index]!)
      const beside = (of: ReadonlyArray<number>) => median(times[index]!.map((one, turn) => one / of[turn]!)).toFixed(1)
      return {
        name: `${name}, beside a service`,
        value: `${milliseconds(time)}, × ${beside(least)} of loading Effect, × ${beside(empty)} of an empty process`,
        bar: "< 1 s",
        met: time < 1_000
      }
    })
  }).pipe(Effect.scoped)
