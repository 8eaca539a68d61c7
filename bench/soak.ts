import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { calls, messagesApi, says } from "#test/MessagesApi.ts"
import { temporaryFolder } from "./http.ts"
import { freePort, processorSeconds, service } from "./process.ts"
import { type Asked, type Measured, percentile, thousands } from "./report.ts"
import { heldBy, sumOf } from "./soak/held.ts"
import { give, isMore, type Kinds, kinds, more, named, steadily } from "./soak/left.ts"
import { makeLoad } from "./soak/load.ts"
import { bytesOf, type Look, lookAt, slopeOf } from "./soak/look.ts"
import { atPace, type Kept, keptByAll } from "./soak/pace.ts"

const usualClients = 6
/** Operations a second, of all clients together: they take about a quarter of one core, with what they begin. */
const usualRate = 2

/** Seconds after which workers that nobody needs end; and milliseconds in which it has to come to rest with that. */
const idle = 20
const patience = 120_000

/** What the system tells of without the inspector, whose look stops the service. */
const leftOf = (before: Look, now: Look): ReadonlyArray<string> =>
  more<Pick<Look, "descriptors" | "threads" | "children">>(before, now)

/** Processes that have work, or had some a moment ago: they are to end by themselves. */
const atWork = ({ children }: Look): number => children["workers/program.ts"] ?? 0

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const clock = { now: () => performance.now(), sleep }

/**
 * An hour (three minutes at 0.05) of all that callers do, with metrics, traces and a model: what does the service hold
 * more afterwards than it did after the first third? Each client's operations are due at their times, whatever else the
 * machine does: what comes late is done all the same, and counted. Fails where an operation was refused, or where
 * anything is left over that was opened or begun: a descriptor, a thread, a process, a temporary file, a fiber, a
 * signal, a listener, a timer; and where something grows from third to third by as much as the operations were.
 */
export const soak = (scale: number, { clients = usualClients, rate = usualRate, tell }: Asked) =>
  Effect.gen(function* () {
    const duration = Math.max(30_000, 3_600_000 * scale)
    const folder = yield* temporaryFolder
    const [dataDir, temporary, clones] = [join(folder, "data"), join(folder, "tmp"), join(folder, "clones")]
    for (const made of [temporary, clones]) mkdirSync(made)
    const api = yield* messagesApi(({ body }) => {
      const prompt = String(body.messages[0]!.content)
      if (body.tools === undefined) return says("Somebody wrote a number into a file.")
      if (body.messages.length > 3) return says("Done.")
      const command = prompt === "wait" ? "sleep 30" : "cat *.txt | wc -l > count && ls > list"
      if (body.messages.length > 1) return calls({ name: "Bash", input: { command } })
      return calls({ name: "Write", input: { file_path: `${prompt}.txt`, content: `${prompt}\n` } })
    })
    const metricsPort = yield* freePort
    const inspectorPort = yield* freePort
    const environment = {
      TMPDIR: temporary,
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url,
      CAIRN_METRICS_PORT: String(metricsPort),
      // nobody takes them: that must cost nothing either
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.1",
      CAIRN_RETENTION_EXECUTIONS: "30",
      // what rests is to be gone when it is counted: the one rest that is long
      CAIRN_WORKERS_IDLE_S: String(idle),
      CAIRN_LOG_LEVEL: "error"
    }
    const { port, key, child } = yield* service(dataDir, environment, {
      flags: [`--inspect=127.0.0.1:${inspectorPort}`]
    })
    const third = duration / 3
    const load = makeLoad({ port, key, clones }, (rate * third) / 1_000)
    const looks: Array<Look> = []
    const began = performance.now()
    let working = false
    const look = async () => {
      const one: Look = {
        ...(await lookAt(child.pid!, metricsPort)),
        at: (performance.now() - began) / 1000,
        working,
        operations: load.operations()
      }
      looks.push(one)
      // an hour is long: whoever waits sees how it goes
      const counts = { descriptors: sumOf(one.descriptors), threads: sumOf(one.threads), children: sumOf(one.children) }
      process.stderr.write(`${JSON.stringify({ ...one, ...counts })}\n`)
      return one
    }
    const restless: Array<string> = []
    /** What is held when nobody asks any more; workers that wait for the next job go by themselves, after a while. */
    const quiet = async (before?: Look) => {
      const resting = performance.now()
      let last = await look()
      for (let same = 0; same < 3; ) {
        await sleep(2_000)
        const now = await look()
        const isSame =
          sumOf(now.threads) === sumOf(last.threads) &&
          sumOf(now.descriptors) === sumOf(last.descriptors) &&
          sumOf(now.children) === sumOf(last.children)
        const mayGo = before !== undefined && leftOf(before, now).length > 0
        same = isSame && !mayGo && atWork(now) === 0 ? same + 1 : 0
        last = now
        if (performance.now() - resting < patience) continue
        // what is left over is told as such
        if (atWork(now) > 0) restless.push(`${atWork(now)} workers that nobody has needed for ${patience / 1_000} s`)
        return now
      }
      return last
    }
    const kept: Array<Kept> = []
    /** Seconds, without those in which it is only looked at. */
    let processor = 0
    const work = async () => {
      const before = processorSeconds(child)
      const start = performance.now()
      const until = start + third
      const interval = (1_000 * clients) / rate
      const client = (_: unknown, place: number) =>
        atPace({ first: start + (place * interval) / clients, interval, until }, load.next, clock)
      working = true
      const watching = (async () => {
        while (working) {
          await look()
          await sleep(Math.max(5_000, duration / 120))
        }
      })()
      kept.push(keptByAll(await Promise.all(Array.from({ length: clients }, client))))
      working = false
      await watching
      processor += processorSeconds(child) - before
      process.stderr.write(`${JSON.stringify(kept.at(-1))}\n`)
    }
    /** What there is when nobody asks: to be told what lives, the inspector collects the garbage. */
    const collected: Array<Look> = []
    const held = async ({ descriptors, threads, children }: Look): Promise<Kinds> => {
      const one = { descriptors, threads, children, ...(await heldBy(inspectorPort)) }
      process.stderr.write(`${JSON.stringify(one)}\n`)
      collected.push(await look())
      return one
    }
    // of five rounds four: one may have ended right before its turn
    const eachTime = Math.max(3, Math.floor(0.8 * load.rounds()))
    const { first, middle, last, grown, heldThen } = yield* Effect.promise(async () => {
      await work()
      const first = await quiet()
      const heldThen = [await held(first)]
      const bytes = bytesOf(dataDir)
      const middle = looks.length
      await work()
      heldThen.push(await held(await quiet()))
      await work()
      const last = await quiet(first)
      let still = await held(last)
      // what goes by itself, a moment later, is none that is left over
      const isLeft = () => more(heldThen[0]!, still).length > 0 || steadily([...heldThen, still], eachTime).length > 0
      for (let again = 0; again < 3 && isLeft(); again++) {
        await sleep(10_000)
        still = await held(await look())
      }
      heldThen.push(still)
      return { first, middle, last, grown: bytesOf(dataDir) - bytes, heldThen }
    })
    const [heldFirst, heldLast] = [heldThen[0]!, heldThen.at(-1)!]
    // at rest it holds less, and the longer it rests the more looks there are
    const later = looks.slice(middle).filter((one) => one.working)
    const operations = last.operations - first.operations
    const perHour = (of: "resident" | "heap") => slopeOf(later.map((one) => [one.at / 3600, one[of]]))
    const perOperation = (of: "resident" | "heap") => slopeOf(later.map((one) => [one.operations, one[of] * 1024]))
    /**
     * What is held where little is: the tenth of the looks of each half in which it was least, so that garbage counts
     * little.
     */
    const halves = (of: "resident" | "heap") => {
      const half = Math.floor(later.length / 2)
      return [later.slice(0, half), later.slice(half)].map((part) =>
        percentile(
          part.map((one) => one[of]),
          0.1
        )
      ) as [number, number]
    }
    const files = readdirSync(temporary)
    const growing = steadily(heldThen, eachTime)
    const leftOver = [
      ...more(heldFirst, heldLast),
      ...restless,
      ...growing,
      ...files.map((file) => `the temporary file ${file}`),
      ...[...load.failures].map(([name, message]) => `${name} failed: ${message}`)
    ]
    const memory = (of: "resident" | "heap"): Measured => {
      const [before, after] = halves(of)
      const atRest = collected.map((one) => one[of].toFixed(0)).join(", ")
      return {
        name: `${of} memory in ${(duration / 60_000).toFixed(0)} minutes, ${operations} operations`,
        value: `${before.toFixed(0)}, then ${after.toFixed(0)} MiB; slope ${perHour(of).toFixed(0)} MiB/h, ${perOperation(of).toFixed(1)} KiB an operation; at rest, garbage gone: ${atRest} MiB (× ${(collected.at(-1)![of] / collected[0]![of]).toFixed(2)})`,
        bar: "the second half ≤ × 1.1",
        // in less than half an hour it says nothing: caches fill, and memory is taken as it is asked for
        met: duration < 1_800_000 ? null : after <= before * 1.1
      }
    }
    const { done, late, mostBehind } = keptByAll(kept)
    const rows = [
      {
        name: `operations, ${rate} a second by ${clients} clients`,
        value: `${thousands(done)} done, ${load.passed()} of them refused as they should be, ${load.failed()} failed; ${late} late, by ${(mostBehind / 1_000).toFixed(1)} s at most; ${((1_000 * processor) / done).toFixed(0)} ms of processor each, in the service's process`,
        bar: "none failed",
        met: load.failed() === 0
      },
      memory("resident"),
      memory("heap"),
      { name: "temporary files", value: String(files.length), bar: "none", met: files.length === 0 },
      ...kinds.map((kind) => ({
        name: `${kind} at rest`,
        value: `${heldThen.map((one) => sumOf(one[kind])).join(", then ")}; ${named(heldFirst[kind], heldLast[kind]) || "none more"}`,
        bar: `none more, give or take ${give[kind]}`,
        met: !isMore(kind, heldFirst[kind], heldLast[kind])
      })),
      {
        name: "what grows each time by what an operation leaves",
        value: growing.join("; ") || "nothing",
        bar: `by less than ${eachTime} in each third`,
        met: growing.length === 0
      },
      {
        name: "disk, by operation",
        value: `${(grown / operations / 1024).toFixed(1)} KiB`,
        bar: "",
        met: null
      }
    ] satisfies ReadonlyArray<Measured>
    if (leftOver.length === 0) return rows
    // what was measured in an hour is told all the same
    for (const row of rows) tell(row)
    return yield* Effect.die(new Error(`the soak left over: ${leftOver.join("; ")}`))
  }).pipe(Effect.scoped)
