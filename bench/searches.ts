import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { corpus, queries } from "#test/evaluation.ts"
import { temporaryFolder } from "./http.ts"
import { run } from "./load.ts"
import { imported, processorSeconds, residentMiB, service } from "./process.ts"
import { type Asked, type Measured, median, milliseconds, percentile, thousands } from "./report.ts"

const here = join(import.meta.dirname, "..")
/** Another tree of the project, which is asked in turns with this one. */
const before = process.env["CAIRN_BENCH_BEFORE"]
const turns = 8
/** Turns that are not counted. */
const warming = 2
/** What p99 may be at one connection, in ms, by how many snippets there are. */
const bars: { readonly [count: number]: number } = { 22000: 10, 100000: 25, 1000000: 60 }
/** What the service may hold, in MB. */
const memory: { readonly [count: number]: number } = { 22000: 250, 100000: 450, 1000000: 1_200 }

/** As many are imported at once: a text can't have all of a million. */
const part = 100_000

/** Snippets of the development sets, and the same under other names: those from a number on. */
const lines = (from: number, count: number): string => {
  const all = [...corpus("mbpp"), ...corpus("agent30"), ...corpus("distractors")]
  return Array.from({ length: count }, (_, at) => {
    const n = from + at
    const { name, description, source, language } = all[n % all.length]!
    const round = Math.floor(n / all.length)
    const own = round === 0 ? name : `${name}_${round}`
    return JSON.stringify({ name: own, description, source: source.replaceAll(name, own), language })
  }).join("\n")
}

/** Tasks of the development sets with two words of another one: none is asked twice, and none is in memory. */
const tasks = () => {
  const all = [...queries("mbpp"), ...queries("agent30")].map(({ text }) => text)
  let asked = 0
  return () => {
    const other = all[(asked * 31 + Math.floor(asked / all.length)) % all.length]!.split(" ")
    const round = Math.floor(asked / all.length)
    const task = `${all[asked % all.length]} ${other[round % other.length]} ${other[(round * 7 + 3) % other.length]}`
    asked++
    return { path: "/api/retrieve/search", body: JSON.stringify({ task }) }
  }
}

/** A service of a tree with so many snippets; a `folder` that has them is left as it is. */
const filled = Effect.fnUntraced(function* (tree: string, count: number, given: string | undefined) {
  const folder = given ?? (yield* temporaryFolder)
  const done = join(folder, `filled with ${count}`)
  if (!existsSync(done)) {
    // it is asked by one that was started anew: what filling leaves in its memory is another matter
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* service(folder, { CAIRN_LOG_LEVEL: "warn" }, { tree })
        for (let from = 0; from < count; from += part)
          yield* imported(folder, lines(from, Math.min(part, count - from)), tree)
      })
    )
    writeFileSync(done, "")
  }
  return yield* service(folder, { CAIRN_LOG_LEVEL: "warn" }, { tree })
})

/**
 * Searches over HTTP for tasks of which none was asked before, at 64 connections and at one: how many a second, how
 * long one takes, and how much of the processor; and what the service holds then. With CAIRN_BENCH_BEFORE, the folder
 * of another tree, both in turns. `folder`: where this one's snippets of the one size are, or come to be.
 */
export const searches = (
  scale: number,
  sizes: ReadonlyArray<number> = [1_000, 22_000],
  { folder }: Pick<Asked, "folder">
) =>
  Effect.gen(function* () {
    const rows: Array<Measured> = []
    for (const full of sizes) {
      const count = Math.max(200, Math.round(full * scale))
      const trees = { ...(before === undefined ? {} : { before }), now: here }
      const running = yield* Effect.forEach(Object.entries(trees), ([name, tree]) =>
        Effect.map(filled(tree, count, name === "now" ? folder : undefined), (one) => ({ ...one, name }))
      )
      const next = tasks()
      for (const connections of [64, 1]) {
        const seen = new Map(running.map(({ name }) => [name, [] as Array<[number, ReadonlyArray<number>, number]>]))
        for (let turn = -warming; turn < turns; turn++) {
          for (const { name, port, key, child } of turn % 2 === 0 ? running : running.toReversed()) {
            const spent = processorSeconds(child)
            const load = { port, key, connections, milliseconds: Math.max(500, 5_000 * scale), next }
            const { perSecond, latencies } = yield* Effect.promise(() => run(load))
            const each = (1_000 * (processorSeconds(child) - spent)) / latencies.length
            if (turn >= 0) seen.get(name)!.push([perSecond, latencies, each])
          }
        }
        const ratio = (of: 0 | 2) =>
          median(seen.get("now")!.map((one, turn) => one[of] / (seen.get("before")?.[turn]?.[of] ?? one[of])))
        for (const [name, all] of seen) {
          const latencies = all.flatMap(([, some]) => some)
          const beside = name === "now" && before !== undefined
          const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
          const bar = connections === 1 && name === "now" ? bars[count] : undefined
          const compared = beside ? `; × ${ratio(0).toFixed(2)}, × ${ratio(2).toFixed(2)} of the processor` : ""
          rows.push({
            name: `searches, ${thousands(count)} snippets, ${connections} connections, ${name}`,
            value: `${thousands(median(all.map(([rate]) => rate)))}/s, p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}, ${milliseconds(median(all.map(([, , each]) => each)))} of the processor each${compared}`,
            bar: bar === undefined ? "" : `p99 ≤ ${bar} ms`,
            met: bar === undefined ? null : p99 <= bar
          })
        }
      }
      for (const { name, child } of running) {
        const resident = residentMiB(child)
        const bar = name === "now" ? memory[count] : undefined
        rows.push({
          name: `the service, ${thousands(count)} snippets, ${name}`,
          value: `${thousands(resident)} MiB resident`,
          bar: bar === undefined ? "" : `${bar} MB`,
          met: bar === undefined ? null : resident * 1.048_576 <= bar
        })
      }
    }
    return rows
  }).pipe(Effect.scoped)
