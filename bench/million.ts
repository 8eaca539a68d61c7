import { Effect } from "effect"
import type { Filled } from "./filled.ts"
import { served, toldByIndex } from "./process.ts"
import { type Measured, milliseconds, thousands } from "./report.ts"

/** Snippets; and the bars of a whole service's memory, in MB. */
const sizes = [
  { count: 1_000, memory: undefined },
  { count: 22_000, memory: 250 },
  { count: 100_000, memory: 450 },
  { count: 1_000_000, memory: 1_200 }
]
const leastRecall = 0.99

/** So many snippets in one home, and so many of another beside it; memory is what it would be in the service. */
const filled = (count: number, beside = 0) => toldByIndex<Filled>("bench/filled.ts", [count, beside], served())

/**
 * The index in memory with neighbours of real snippets, up to a million: how fast, how large, and whether it finds the
 * nearest.
 */
export const million = (scale: number) =>
  Effect.gen(function* () {
    const rows: Array<Measured> = []
    for (const { count: full, memory } of sizes) {
      const count = Math.round(full * scale)
      const found = yield* filled(count)
      const name = (what: string) => `${thousands(count)} neighbours of real snippets: ${what}`
      rows.push(
        {
          name: name("a search by both stages"),
          value: `p50 ${milliseconds(found.p50)}, p99 ${milliseconds(found.p99)}; in the index p50 ${milliseconds(found.indexP50)}, p99 ${milliseconds(found.indexP99)}; long tasks p50 ${milliseconds(found.longP50)}, p99 ${milliseconds(found.longP99)}`,
          bar: "",
          met: null
        },
        {
          name: name("memory"),
          value: `${Math.round(found.residentMiB)} MiB resident, ${Math.round(found.indexMiB)} of them the index`,
          // of a whole service, which has more than this process
          bar: memory === undefined || scale !== 1 ? "" : `${memory} MB`,
          met: memory === undefined || scale !== 1 ? null : found.residentMiB * 1.048_576 <= memory
        },
        {
          name: name("filled"),
          value: `in ${found.fillSeconds.toFixed(1)} s (${thousands(count / found.fillSeconds)}/s), longest stretch ${milliseconds(found.longestSlice)}`,
          bar: "",
          met: null
        },
        {
          name: name("of the exact best 50 by meaning are found"),
          value: found.recall.toFixed(4),
          bar: `${leastRecall}`,
          met: found.recall >= leastRecall
        }
      )
    }
    const [small, other] = [Math.round(1_000 * scale), Math.round(1_000_000 * scale)]
    const alone = yield* filled(small)
    const beside = yield* filled(small, other)
    rows.push({
      name: `a search among ${thousands(small)}, beside ${thousands(other)} of another tenant`,
      value: `in the index p50 ${milliseconds(beside.indexP50)}, without them ${milliseconds(alone.indexP50)}`,
      bar: "",
      met: null
    })
    return rows
  })
