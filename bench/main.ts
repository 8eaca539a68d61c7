import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { parentGone } from "#infra/parent.ts"
import { append } from "./append.ts"
import { chat } from "./chat.ts"
import { commandLine } from "./commandLine.ts"
import { elastic } from "./elastic.ts"
import { embeddings } from "./embeddings.ts"
import { http } from "./http.ts"
import { lag } from "./lag.ts"
import { limits } from "./limits.ts"
import { million } from "./million.ts"
import { processes } from "./processes.ts"
import { replay } from "./replay.ts"
import { type Measured, table } from "./report.ts"
import { rerank } from "./rerank.ts"
import { searches } from "./searches.ts"
import { services } from "./services.ts"
import { soak } from "./soak.ts"
import { start } from "./start.ts"
import { telemetry } from "./telemetry.ts"

/** `bench [name …] [--scale=0.1]`: each prints its rows beside the design's bars. */
const benches: Record<string, (scale: number) => Effect.Effect<ReadonlyArray<Measured>, unknown>> = {
  append,
  processes,
  services,
  replay,
  lag,
  http,
  chat,
  start,
  limits,
  searches,
  telemetry,
  rerank,
  million,
  soak,
  cli: commandLine,
  elastic,
  embeddings
}

const args = process.argv.slice(2)
const scale = Number(args.find((arg) => arg.startsWith("--scale="))?.slice("--scale=".length) ?? 1)
const named = args.filter((arg) => !arg.startsWith("--"))

const program = Effect.gen(function* () {
  const rows: Array<Measured> = []
  for (const [name, bench] of Object.entries(benches)) {
    if (named.length > 0 && !named.includes(name)) continue
    yield* Console.error(`— ${name}`)
    const measured = yield* bench(scale)
    rows.push(...measured)
    for (const { name, value } of measured) yield* Console.error(`  ${name}: ${value}`)
  }
  yield* Console.log(table(rows))
})

NodeRuntime.runMain(Effect.raceFirst(program, parentGone))
