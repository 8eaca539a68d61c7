import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit } from "effect"
import { parentGone } from "#infra/parent.ts"
import { append } from "./append.ts"
import { cancel } from "./cancel.ts"
import { chat } from "./chat.ts"
import { commandLine } from "./commandLine.ts"
import { browsing } from "./console.ts"
import { elastic } from "./elastic.ts"
import { embeddings } from "./embeddings.ts"
import { held } from "./held.ts"
import { http } from "./http.ts"
import { lag } from "./lag.ts"
import { limits } from "./limits.ts"
import { million } from "./million.ts"
import { processes } from "./processes.ts"
import { replay } from "./replay.ts"
import { type Asked, type Measured, table } from "./report.ts"
import { rerank } from "./rerank.ts"
import { restarts } from "./restarts.ts"
import { searches } from "./searches.ts"
import { services } from "./services.ts"
import { soak } from "./soak.ts"
import { start } from "./start.ts"
import { telemetry } from "./telemetry.ts"

/**
 * `bench [name …] [--scale=0.1] [--sizes=1000,13056] [--clients=2] [--rate=1] [--folder=PATH]`: each prints its rows
 * beside the design's bars. `sizes` are those of stores, where a benchmark has several: what takes long is read size by
 * size. So many `clients` has the soak, and so many operations a second.
 */
const benches: Record<
  string,
  (
    scale: number,
    sizes: ReadonlyArray<number> | undefined,
    asked: Asked
  ) => Effect.Effect<ReadonlyArray<Measured>, unknown>
> = {
  append,
  processes,
  services,
  replay,
  lag,
  http,
  chat,
  cancel,
  start,
  restarts,
  limits,
  searches,
  telemetry,
  rerank,
  million,
  held,
  soak: (scale, _, asked) => soak(scale, asked),
  cli: commandLine,
  console: browsing,
  elastic,
  embeddings
}

const args = process.argv.slice(2)
const given = (flag: string) => args.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3)
const scale = Number(given("scale") ?? 1)
const sizes = given("sizes")?.split(",").map(Number)
const numberOf = (flag: string) => {
  const text = given(flag)
  return text === undefined ? undefined : Number(text)
}
const flags = { folder: given("folder"), clients: numberOf("clients"), rate: numberOf("rate") }
const named = args.filter((arg) => !arg.startsWith("--"))

const program = Effect.gen(function* () {
  const rows: Array<Measured> = []
  const failed: Array<string> = []
  for (const [name, bench] of Object.entries(benches)) {
    if (named.length > 0 && !named.includes(name)) continue
    yield* Console.error(`— ${name}`)
    const told = new Set<Measured>()
    const tell = (row: Measured): Measured => {
      if (!told.has(row)) process.stderr.write(`  ${row.name}: ${row.value}\n`)
      told.add(row)
      return row
    }
    const measured = yield* Effect.exit(bench(scale, sizes, { tell, ...flags }))
    if (Exit.isSuccess(measured)) rows.push(...measured.value.map(tell))
    else {
      // what the others say is worth having
      yield* Console.error(Cause.pretty(measured.cause))
      failed.push(name)
    }
  }
  yield* Console.log(table(rows))
  if (failed.length > 0) return yield* Effect.die(new Error(`failed: ${failed.join(", ")}`))
})

NodeRuntime.runMain(Effect.raceFirst(program, parentGone))
