import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { beginning } from "#engine/Position.ts"
import { EventStore, type StoredEvent } from "#engine/ports/EventStore.ts"
import { storeOn } from "../infra/stores.ts"
import { command, fresh, noted, revisions, texts, to, typed, upTo } from "./appends.ts"
import { rest } from "./EventStore.reading.ts"

interface TriedAppend {
  readonly stream: string
  readonly commandId: string
  readonly revision: number
}

/**
 * Lets another process append until it has so many acknowledgements, then kills it; what it tried and what was done.
 */
const killedAfter = (acknowledgements: number, stream: string, url: string) =>
  Effect.callback<{ readonly tried: ReadonlyArray<TriedAppend>; readonly acknowledged: ReadonlyArray<string> }>(
    (resume) => {
      const program = join(import.meta.dirname, "appender.ts")
      const args = process.versions["deno"] === undefined ? [program] : ["run", "-A", program]
      const env = { ...process.env, DATABASE_URL: url, STREAM: stream }
      const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] })
      const tried: Array<TriedAppend> = []
      const acknowledged: Array<string> = []
      const lines = createInterface({ input: child.stdout })
      lines.on("line", (line) => {
        const [what, stream, commandId, revision] = line.split(" ")
        if (what === "trying") tried.push({ stream: stream!, commandId: commandId!, revision: Number(revision) })
        else acknowledged.push(commandId!)
        if (acknowledged.length === acknowledgements) child.kill("SIGKILL")
      })
      // whatever it said before it died counts
      lines.on("close", () => resume(Effect.succeed({ tried, acknowledged })))
      return Effect.sync(() => child.kill("SIGKILL"))
    }
  )

/** No gap anywhere, and each command whole and once. */
const sound = (log: ReadonlyArray<StoredEvent>) => {
  assert.deepStrictEqual(
    log.map(({ position }) => position),
    upTo(log.length).map((index) => index + 1)
  )
  const streams = Map.groupBy(log, ({ stream }) => stream)
  for (const events of streams.values()) assert.deepStrictEqual(revisions(events), upTo(events.length))
  const commands = Map.groupBy(log, ({ commandId }) => commandId)
  for (const [commandId, events] of commands) assert.deepStrictEqual(texts(events), [commandId, null])
  return commands
}

const again = ({ stream, commandId, revision }: TriedAppend) =>
  to(stream, revision === -1 ? "none" : revision, [
    command({ commandId, events: [noted({ payload: typed(`subject/${stream}`, commandId) }), noted()] })
  ])

/** What was acknowledged survives: the process's death, and the loss of its connections. For stores on a database. */
export const crash = (name: string, freshDatabase: Effect.Effect<Redacted.Redacted, SqlError>) => {
  it.live(`${name}: what was acknowledged survives the death of the process`, () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const proof = Effect.gen(function* () {
        const { append } = yield* EventStore
        for (const acknowledgements of [1, 30, 100 + Math.floor(Math.random() * 200)]) {
          const { tried, acknowledged } = yield* killedAfter(acknowledgements, fresh(), Redacted.value(url))
          assert.isAtLeast(acknowledged.length, acknowledgements)
          const commands = sound(yield* rest(beginning))
          for (const commandId of acknowledged) assert.isTrue(commands.has(commandId))
          // the next process repeats everything: what was done is not done twice, what was lost is done now
          for (const attempt of tried) yield* append(again(attempt))
          const repeated = sound(yield* rest(beginning))
          for (const { commandId } of tried) assert.isTrue(repeated.has(commandId))
          assert.strictEqual(
            repeated.size,
            new Set([...commands.keys(), ...tried.map(({ commandId }) => commandId)]).size
          )
        }
      })
      yield* Effect.provide(proof, storeOn(url))
    })
  )

  it.live(`${name}: an append outlives the loss of its connection`, () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const proof = Effect.gen(function* () {
        const { append } = yield* EventStore
        const done: Array<TriedAppend> = []
        const connection = yield* PgConnection.make({ url, ssl: false })
        // as soon as there is something new to lose
        const killer = Effect.gen(function* () {
          for (const round of upTo(8)) {
            while (done.length < round * 40) yield* Effect.yieldNow
            yield* connection.query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()`
            )
          }
        })
        const writer = Effect.fnUntraced(function* (stream: string) {
          for (const n of upTo(100)) {
            const attempt = { stream, commandId: crypto.randomUUID(), revision: n * 2 - 1 }
            yield* append(again(attempt))
            done.push(attempt)
          }
        })
        yield* Effect.all([killer, ...upTo(4).map(() => writer(fresh()))], { concurrency: "unbounded" })
        assert.strictEqual(sound(yield* rest(beginning)).size, 400)
        yield* Effect.forEach(done, (attempt) => append(again(attempt)), { concurrency: "unbounded" })
        assert.strictEqual(sound(yield* rest(beginning)).size, 400)
      })
      yield* Effect.provide(proof, storeOn(url))
    }).pipe(Effect.scoped)
  )
}
