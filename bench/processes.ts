import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, Redacted } from "effect"
import { benchDatabase } from "./database.ts"
import { debianDatabase, whyNoDebian } from "./debian.ts"
import { runtimeArgs } from "./process.ts"
import { type Measured, median, thousands } from "./report.ts"

const clients = 32
const turns = 5

interface Appender {
  readonly child: ChildProcess
  /** Its next line. */
  readonly said: () => Promise<string>
}

/** A process that appends to a database, once it is ready. */
const appender = (kind: "ours" | "emmett", url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Appender> => {
      const child = spawn(
        process.execPath,
        [...runtimeArgs, join(import.meta.dirname, "appender.ts"), kind, `${clients}`],
        {
          cwd: join(import.meta.dirname, ".."),
          env: { ...process.env, BENCH_DATABASE_URL: Redacted.value(url) },
          stdio: ["pipe", "pipe", "inherit"]
        }
      )
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
      const said = async () => {
        const { value, done } = await lines.next()
        if (done === true) throw new Error(`a process that appends ended with ${child.exitCode}`)
        return value
      }
      await said()
      return { child, said }
    }),
    ({ child }) =>
      Effect.promise(async () => {
        child.stdin!.end()
        if (child.exitCode === null) await once(child, "exit")
      })
  )

/** Appends a second of some processes together, while all of them are at work. */
const together = (appenders: ReadonlyArray<Appender>, count: number) =>
  Effect.promise(async () => {
    const rates = appenders.map(async ({ child, said }) => {
      child.stdin!.write(`${count}\n`)
      return Number(await said())
    })
    return (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0)
  })

const most = 4

const measured = Effect.fnUntraced(function* (server: string, url: Redacted.Redacted, scale: number) {
  // one after the other: the first makes the tables
  const ours: Array<Appender> = []
  const emmetts: Array<Appender> = []
  for (let n = 0; n < most; n++) ours.push(yield* appender("ours", url))
  for (let n = 0; n < most; n++) emmetts.push(yield* appender("emmett", url))
  const counts = [1, 2, most]
  const a = counts.map((): Array<number> => [])
  const b = counts.map((): Array<number> => [])
  for (let turn = 0; turn < turns; turn++) {
    for (const [at, count] of counts.entries()) {
      a[at]!.push(yield* together(ours.slice(0, count), Math.max(clients, (12_000 * scale) / count)))
      b[at]!.push(yield* together(emmetts.slice(0, count), Math.max(clients, (1_500 * scale) / count)))
    }
  }
  return counts.map((count, at): Measured => {
    const beside = (of: Array<Array<number>>, other: Array<Array<number>>, place: number) =>
      median(of[at]!.map((rate, turn) => rate / other[place]![turn]!)).toFixed(2)
    const first = at === 0 ? "" : `, × ${beside(a, a, 0)} of one process`
    return {
      name: `append on ${server}, ${count} ${count === 1 ? "process" : "processes"} of ${clients} clients`,
      value: `${thousands(median(a[at]!))}/s${first}; Emmett ${thousands(median(b[at]!))}/s (× ${beside(a, b, at)})`,
      bar: "",
      met: null
    }
  })
}, Effect.scoped)

/** Several processes that do nothing but append to one database, beside as many of Emmett's, in turns. */
export const processes = (scale: number) =>
  Effect.gen(function* () {
    const embedded = yield* benchDatabase
    const rows = [...(yield* measured("Postgres 18", embedded.url, scale))]
    const why = whyNoDebian()
    if (why !== undefined) rows.push({ name: "append on PostgreSQL 15", value: `skipped: ${why}`, bar: "", met: null })
    else rows.push(...(yield* measured("PostgreSQL 15", (yield* debianDatabase).url, scale)))
    return rows
  }).pipe(Effect.scoped)
