import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { temporaryFolder } from "./http.ts"
import { run } from "./load.ts"
import { freePort, processorSeconds, service } from "./process.ts"
import { type Measured, median, percentile, thousands } from "./report.ts"

const connections = 32
const turns = 20
/** A turn takes this much, so that what else the machine does meets all of them. */
const turn = 1_000

/** Turns that are not counted. */
const warming = 3

/** Takes whatever comes, and counts it. */
const receiver = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly url: string; readonly requests: () => number; readonly close: () => void }>((resolve) => {
        let requests = 0
        const server = createServer((request, response) => {
          requests += 1
          request.resume().once("end", () => response.end())
        })
        server.listen(0, "127.0.0.1", () =>
          resolve({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
            requests: () => requests,
            close: () => void server.close()
          })
        )
      })
  ),
  ({ close }) => Effect.sync(close)
)

/**
 * Requests a second of three services on data of their own: nobody looks; metrics, which are asked for each second; and
 * traces of each tenth request besides. In turns, so that the machine is the same for all; a ratio is of one turn.
 */
export const telemetry = (scale: number) =>
  Effect.gen(function* () {
    const duration = Math.max(200, turn * scale)
    const { url, requests } = yield* receiver
    const metricsPort = yield* freePort
    const start = (env: Record<string, string>) => Effect.flatMap(temporaryFolder, (folder) => service(folder, env))
    const kinds = {
      without: yield* start({}),
      metrics: yield* start({ CAIRN_METRICS_PORT: String(metricsPort) }),
      traces: yield* start({
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.1"
      })
    }
    const loads = {
      search: (n: number) => ({ path: "/api/retrieve/search", body: JSON.stringify({ task: `parse a file, ${n}` }) }),
      upload: (n: number) => ({
        path: "/api/store/execution-result",
        body: JSON.stringify({
          task: `compute ${n}`,
          succeeded: true,
          user_vote: 1,
          file_written: { path: `f${n}.py`, content: `def f${n}(rows):\n    return sorted(rows)[${n}]\n` }
        })
      })
    }
    const scraping = setInterval(() => {
      void fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
        (response) => response.text(),
        () => undefined
      )
    }, 1_000)
    yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(scraping)))
    let n = 0
    const measured: Array<Measured> = []
    for (const [load, next] of Object.entries(loads)) {
      const rates: Record<string, Array<number>> = { without: [], metrics: [], traces: [] }
      const processor: Record<string, Array<number>> = { without: [], metrics: [], traces: [] }
      for (let turn = -warming; turn < turns; turn++) {
        // each is first as often as the others
        const order = Object.entries(kinds).map((_, place, all) => all[(place + turn + warming) % all.length]!)
        for (const [kind, { port, key, child }] of order) {
          const before = processorSeconds(child)
          const { perSecond, latencies } = yield* Effect.promise(() =>
            run({ port, key, connections, milliseconds: duration, next: () => next(n++) })
          )
          if (turn < 0) continue
          rates[kind]!.push(perSecond)
          processor[kind]!.push((1_000 * (processorSeconds(child) - before)) / latencies.length)
        }
      }
      /** A share that a turn lost beside the one without: of all turns the middle, and the middle half around it. */
      const lostOf = (by: Record<string, Array<number>>, kind: string) => {
        const lost = by[kind]!.map((one, turn) => 1 - one / by["without"]![turn]!)
        return [0.25, 0.5, 0.75].map((part) => percentile(lost, part)) as [number, number, number]
      }
      const percent = (share: number) => (100 * share).toFixed(1)
      const row = (kind: string, most: number): Measured => {
        const [least, lost, greatest] = lostOf(rates, kind)
        const [, saved] = lostOf(processor, kind)
        const [ours, without] = [median(processor[kind]!), median(processor["without"]!)]
        return {
          name: `${load}, 32 connections, ${kind === "metrics" ? "with metrics" : "with metrics and traces of 10 %"}`,
          value: `${thousands(median(rates[kind]!))}/s of ${thousands(median(rates["without"]!))}/s: ${percent(lost)} % fewer (half of the turns ${percent(least)} to ${percent(greatest)}); ${ours.toFixed(2)} ms of processor a request, ${without.toFixed(2)} without (${percent(-saved)} % more)`,
          bar: `≤ ${most} %`,
          met: lost * 100 <= most
        }
      }
      measured.push(row("metrics", 5), row("traces", 15))
    }
    if (requests() === 0) return yield* Effect.die(new Error("nothing came to the receiver"))
    return measured
  }).pipe(Effect.scoped)
