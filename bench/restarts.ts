import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { defaults } from "#infra/search/memory/snapshot/keeping.ts"
import { temporaryFolder } from "./http.ts"
import { imported, processorSeconds, program, residentMiB, service } from "./process.ts"
import { type Asked, type Measured, median, milliseconds, thousands } from "./report.ts"
import { lines } from "./start.ts"

/** Of stores that take minutes to be read there are fewer. */
const turnsOf = (count: number) => (count < 100_000 ? 5 : 2)
/** Another tree of the project, which starts in turns with this one. */
const before = process.env["CAIRN_BENCH_BEFORE"]

const bars: { readonly [count: number]: number } = { 22000: 1_000, 100000: 2_000, 1000000: 10_000 }

const filled = Effect.fnUntraced(function* (count: number) {
  const dataDir = yield* temporaryFolder
  yield* Effect.scoped(service(dataDir))
  yield* imported(dataDir, lines(count))
  return dataDir
})

/** Asks for `/health` every few milliseconds until it is ready: how long one had to wait at most. */
const untilReady = (port: number) =>
  Effect.promise(async () => {
    let [longest, ready] = [0, false]
    while (!ready) {
      const begun = performance.now()
      await (await fetch(`http://127.0.0.1:${port}/health`)).body?.cancel()
      longest = Math.max(longest, performance.now() - begun)
      const answer = await fetch(`http://127.0.0.1:${port}/ready`)
      ready = answer.ok
      await answer.body?.cancel()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    return longest
  })

const started = (dataDir: string, tree?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const begun = performance.now()
      const env = { CAIRN_DATA_DIR: dataDir, CAIRN_LOG_LEVEL: "warn", CAIRN_RATE_LIMITS: "off", ANTHROPIC_API_KEY: "" }
      const { port, child, firstAnswer } = yield* program(
        "src/main.ts",
        "/health",
        env,
        tree === undefined ? {} : { tree }
      )
      const held = yield* untilReady(port)
      const ready = performance.now() - begun
      return { firstAnswer, ready, held, processor: 1_000 * processorSeconds(child), resident: residentMiB(child) }
    })
  )

/** Of fewer no snapshot is kept. */
const fewest = Math.ceil(defaults.least / 0.95)

/**
 * Starts with the snapshot of the index and without, in turns: what it takes until all is ready. With
 * CAIRN_BENCH_BEFORE, the folder of another tree, that one with it in turns, too. `folder` has so many snippets
 * already, and is left as it is but for its snapshot.
 */
export const restarts = (
  scale: number,
  sizes: ReadonlyArray<number> = [22_000, 100_000],
  { folder }: Pick<Asked, "folder">
) =>
  Effect.gen(function* () {
    const rows: Array<Measured> = []
    const counts = new Map(sizes.map((full) => [Math.max(fewest, Math.round(full * scale)), full]))
    for (const [count, full] of counts) {
      const dataDir = folder ?? (yield* filled(count))
      const kept = join(dataDir, "search")
      const seen = { without: [], with: [], before: [] } as {
        readonly [how in "without" | "with" | "before"]: Array<Effect.Success<ReturnType<typeof started>>>
      }
      for (let turn = 0; turn < turnsOf(count); turn++) {
        rmSync(kept, { recursive: true, force: true })
        // keeps one when it ends
        seen.without.push(yield* started(dataDir))
        seen.with.push(yield* started(dataDir))
        if (before !== undefined) seen.before.push(yield* started(dataDir, before))
      }
      const { size } = statSync(join(kept, "snippets.index"))
      for (const [how, all] of Object.entries(seen)) {
        if (all.length === 0) continue
        const of = (what: (one: (typeof all)[number]) => number) => median(all.map(what))
        const ready = of((one) => one.ready)
        const bar = how === "with" && scale === 1 ? bars[full] : undefined
        rows.push({
          name: `${thousands(count)} snippets, a start ${how === "before" ? "of the tree before with" : how} a snapshot${how === "with" ? ` (${(size / 2 ** 20).toFixed(0)} MiB)` : ""}`,
          value: `first answer ${milliseconds(of((one) => one.firstAnswer))}, ready ${milliseconds(ready)}, ${milliseconds(of((one) => one.processor))} of the processor, ${thousands(of((one) => one.resident))} MiB; /health waited ${milliseconds(of((one) => one.held))} at most`,
          bar: bar === undefined ? "" : `≤ ${bar / 1_000} s`,
          met: bar === undefined ? null : ready <= bar
        })
      }
    }
    return rows
  }).pipe(Effect.scoped)
