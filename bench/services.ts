import { Effect, Redacted } from "effect"
import { benchDatabase } from "./database.ts"
import { temporaryFolder } from "./http.ts"
import { run } from "./load.ts"
import { service } from "./process.ts"
import { type Measured, median, milliseconds, percentile, thousands } from "./report.ts"

const connections = 32
const turns = 3
const most = 4

/** Uploads to whole services on one database, of which 1, 2 and 4 are asked, by as many clients altogether. */
export const services = (scale: number) =>
  Effect.gen(function* () {
    const duration = Math.max(500, 5_000 * scale)
    const { url } = yield* benchDatabase
    const dataDir = yield* temporaryFolder
    const env = { DATABASE_URL: Redacted.value(url), CAIRN_DATABASE_CONNECTIONS: "8" }
    const running = []
    for (let n = 0; n < most; n++) running.push(yield* service(dataDir, env))
    let written = 0
    const next = () => {
      const name = `f${written++}`
      const file_written = { path: `${name}.py`, content: `def ${name}(rows):\n    return sorted(rows)[${written}]\n` }
      const body = { task: `Take row ${name}`, succeeded: true, use_service_ai_voting: false, file_written }
      return { path: "/api/store/execution-result", body: JSON.stringify(body) }
    }
    const counts = [1, 2, most]
    const rates = counts.map((): Array<number> => [])
    const waits = counts.map((): Array<number> => [])
    let failed = 0
    for (let turn = 0; turn < turns; turn++) {
      for (const [at, count] of counts.entries()) {
        const loads = running
          .slice(0, count)
          .map(({ port, key }) => run({ port, key, connections: connections / count, milliseconds: duration, next }))
        const loaded = yield* Effect.promise(() => Promise.all(loads))
        rates[at]!.push(loaded.reduce((sum, { perSecond }) => sum + perSecond, 0))
        for (const one of loaded) waits[at]!.push(...one.latencies)
        failed += loaded.reduce((sum, one) => sum + one.failed, 0)
      }
    }
    return counts.map((count, at): Measured => {
      const ratio = median(rates[at]!.map((rate, turn) => rate / rates[0]![turn]!)).toFixed(2)
      const p99 = milliseconds(percentile(waits[at]!, 0.99))
      return {
        name: `uploads to ${count} of ${most} services, ${connections} clients`,
        value: `${thousands(median(rates[at]!))}/s, p99 ${p99}${at === 0 ? `, ${failed} failed in all` : `, × ${ratio} of one`}`,
        bar: "",
        met: null
      }
    })
  }).pipe(Effect.scoped)
