import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { calls, messagesApi, says } from "#test/MessagesApi.ts"
import { temporaryFolder } from "./http.ts"
import { freePort, service } from "./process.ts"
import { type Measured, percentile } from "./report.ts"
import { type Held, heldBy } from "./soak/held.ts"
import { makeLoad } from "./soak/load.ts"
import { bytesOf, type Look, lookAt, slopeOf } from "./soak/look.ts"

const clients = 6
/** Milliseconds between two operations of one client: it is no race, and the machine has other work. */
const pause = 250

/** Milliseconds in which it has to come to rest: workers that nobody needs end after ten minutes. */
const patience = 660_000

/** What is held more than before. Connections to Postgres come and go by themselves, a few at a time. */
const leftOf = (before: Look, now: Look): ReadonlyArray<string> => {
  const more = { descriptors: 8, threads: 4, children: 1 } as const
  return (["descriptors", "threads", "children"] as const).flatMap((name) =>
    now[name] > before[name] + more[name] ? [`${now[name] - before[name]} ${name}`] : []
  )
}

/** What comes and goes at rest, too: connections to Postgres with their sockets, a look at what is there. */
const give: Held = { fibers: 16, signals: 16, emitters: 80, listeners: 400, timers: 16 }
const kinds = Object.keys(give) as ReadonlyArray<keyof Held>
const moreHeld = (before: Held, now: Held): ReadonlyArray<string> =>
  kinds.flatMap((kind) => (now[kind] > before[kind] + give[kind] ? [`${now[kind] - before[kind]} ${kind}`] : []))

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * An hour (three minutes at 0.05) of all that callers do, with metrics, traces and a model: what does the service hold
 * more afterwards than it did after the first third? Fails where an operation was refused, or where anything is left
 * over that was opened or begun: a descriptor, a thread, a process, a temporary file, a fiber, a signal, a listener, a
 * timer.
 */
export const soak = (scale: number) =>
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
      CAIRN_LOG_LEVEL: "error"
    }
    const { port, key, child } = yield* service(dataDir, environment, {
      flags: [`--inspect=127.0.0.1:${inspectorPort}`]
    })
    const load = makeLoad({ port, key, clones })
    const looks: Array<Look> = []
    const began = performance.now()
    const look = async () => {
      const one = await lookAt(child.pid!, metricsPort, (performance.now() - began) / 1000, load.operations())
      looks.push(one)
      // an hour is long: whoever waits sees how it goes
      process.stderr.write(`${JSON.stringify(one)}\n`)
      return one
    }
    /** What is held when nobody asks any more; workers that wait for the next job go by themselves, after a while. */
    const quiet = async (before?: Look) => {
      const resting = performance.now()
      let last = await look()
      for (let same = 0; same < 3; ) {
        await sleep(2_000)
        const now = await look()
        const isSame =
          now.descriptors === last.descriptors && now.threads === last.threads && now.children === last.children
        const mayGo = before !== undefined && leftOf(before, now).length > 0
        same = isSame && !mayGo ? same + 1 : 0
        last = now
        if (performance.now() - resting > patience) {
          // what is left over is told as such
          if (mayGo) return now
          throw new Error(`the service does not come to rest: ${JSON.stringify([last, now])}`)
        }
      }
      return last
    }
    const work = async (until: number) => {
      const client = async () => {
        while (performance.now() - began < until) {
          await load.next()
          await sleep(pause)
        }
      }
      const watching = (async () => {
        while (performance.now() - began < until) {
          await look()
          await sleep(Math.max(1_000, duration / 120))
        }
      })()
      await Promise.all([...Array.from({ length: clients }, client), watching])
    }
    const { first, middle, last, grown, heldFirst, heldLast } = yield* Effect.promise(async () => {
      await work(duration / 3)
      const first = await quiet()
      const heldFirst = await heldBy(inspectorPort)
      const bytes = bytesOf(dataDir)
      const middle = looks.length
      await work(performance.now() - began + (duration * 2) / 3)
      const last = await quiet(first)
      return { first, middle, last, grown: bytesOf(dataDir) - bytes, heldFirst, heldLast: await heldBy(inspectorPort) }
    })
    const later = looks.slice(middle)
    const operations = last.operations - first.operations
    const perHour = (of: "resident" | "heap") => slopeOf(later.map((one) => [one.at / 3600, one[of]]))
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
    const leftOver = [
      ...leftOf(first, last),
      ...moreHeld(heldFirst, heldLast),
      ...files.map((file) => `the temporary file ${file}`),
      ...[...load.failures].map(([name, message]) => `${name} failed: ${message}`)
    ]
    if (leftOver.length > 0) return yield* Effect.die(new Error(`the soak left over: ${leftOver.join("; ")}`))
    const memory = (of: "resident" | "heap"): Measured => {
      const [before, after] = halves(of)
      const slope = perHour(of)
      return {
        name: `${of} memory in ${(duration / 60_000).toFixed(0)} minutes, ${operations} operations`,
        value: `${before.toFixed(0)}, then ${after.toFixed(0)} MiB; slope ${slope.toFixed(0)} MiB/h`,
        bar: "the second half ≤ × 1.1",
        // in less than half an hour it says nothing: caches fill, and memory is taken as it is asked for
        met: duration < 1_800_000 ? null : after <= before * 1.1
      }
    }
    return [
      memory("resident"),
      memory("heap"),
      {
        name: "descriptors, threads, processes at rest",
        value: `${first.descriptors}, ${first.threads}, ${first.children}; then ${last.descriptors}, ${last.threads}, ${last.children}; no temporary file`,
        bar: "none more",
        met: true
      },
      ...kinds.map((kind) => ({
        name: `${kind} at rest`,
        value: `${heldFirst[kind]}, then ${heldLast[kind]}; ${(((heldLast[kind] - heldFirst[kind]) / operations) * 1_000).toFixed(1)} for 1,000 operations`,
        bar: `none more, give or take ${give[kind]}`,
        met: true
      })),
      {
        name: "disk, by operation",
        value: `${(grown / operations / 1024).toFixed(1)} KiB (${load.failed()} failed)`,
        bar: "",
        met: null
      }
    ] satisfies ReadonlyArray<Measured>
  }).pipe(Effect.scoped)
