import { join } from "node:path"
import { Effect } from "effect"
import type { Held } from "./holding.ts"
import { toldByIndex } from "./process.ts"
import { type Measured, milliseconds, thousands } from "./report.ts"

const root = join(import.meta.dirname, "..")
/** Another tree of the project, which is read beside this one. */
const before = process.env["CAIRN_BENCH_BEFORE"]
const sizes = [100_000, 1_000_000]
/** For no longer than this is the event loop held, in milliseconds of processor time. */
const bar = 20

/**
 * For how long the index in memory holds the event loop, whatever is done with it: the processor time of its thread
 * between two rounds of the loop, at the longest. Where the index has a thread of its own (decision 102), the same of
 * the one that asks it, which is the service's.
 */
export const held = (scale: number, given: ReadonlyArray<number> = sizes) =>
  Effect.gen(function* () {
    const rows: Array<Measured> = []
    for (const full of given) {
      const count = Math.round(full * scale)
      const read = (tree: string, inThread: 0 | 1) =>
        toldByIndex<ReadonlyArray<Held>>("bench/holding.ts", [count, inThread], { tree })
      const reads = {
        ...(before === undefined ? {} : { before: read(before, 0) }),
        now: read(root, 0),
        "with a thread": read(root, 1)
      }
      for (const [name, reading] of Object.entries(reads)) {
        for (const { what, longest, processor } of yield* reading) {
          const [first, ...others] = longest
          rows.push({
            name: `${thousands(count)} snippets, ${name}: ${what}`,
            value: `${milliseconds(first!)} (then ${others.map(milliseconds).join(", ")}), of ${milliseconds(processor)}`,
            bar: name === "before" ? "" : `≤ ${bar} ms`,
            met: name === "before" ? null : first! <= bar
          })
        }
      }
    }
    return rows
  })
