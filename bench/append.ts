import { Effect } from "effect"
import { emmetts, ours, rate } from "./appending.ts"
import { benchDatabase } from "./database.ts"
import { type Measured, median, thousands } from "./report.ts"

/** Turns that each number is the median of: what else a machine does comes and goes within seconds. */
const turns = 7

const bars = { 1: 1.2, 32: 5, 256: 10 } as const

/** The store's append beside Emmett's Postgres store, on the same server, in turns. */
export const append = (scale: number) =>
  Effect.gen(function* () {
    const { url } = yield* benchDatabase
    const mine = yield* ours(url)
    const theirs = yield* emmetts(url)
    // the first one makes its tables: several at once may trip over each other
    yield* Effect.promise(theirs)
    yield* Effect.promise(() => rate(8, 200, theirs))
    yield* Effect.promise(() => rate(32, 5_000 * scale, mine))
    const rows: Array<Measured> = []
    for (const [clients, us, them] of [
      [1, 300, 200],
      [32, 10_000, 1_500],
      [256, 25_000, 2_000]
    ] as const) {
      const [a, b]: [Array<number>, Array<number>] = [[], []]
      for (let turn = 0; turn < turns; turn++) {
        b.push(yield* Effect.promise(() => rate(clients, Math.max(clients, them * scale), theirs)))
        a.push(yield* Effect.promise(() => rate(clients, Math.max(clients, us * scale), mine)))
      }
      const ratio = median(a.map((rate, turn) => rate / b[turn]!))
      const most = clients === 256 ? " and 25,000/s" : ""
      rows.push({
        name: `append, ${clients} ${clients === 1 ? "client" : "clients"}`,
        value: `${thousands(median(a))}/s; Emmett ${thousands(median(b))}/s (× ${ratio.toFixed(2)})`,
        bar: `≥ × ${bars[clients]}${most}`,
        met: ratio >= bars[clients] && (clients !== 256 || median(a) >= 25_000)
      })
    }
    return rows
  }).pipe(Effect.scoped)
