import { randomUUID } from "node:crypto"
import { Effect, Redacted } from "effect"
import { EventStore } from "#engine/ports/EventStore.ts"
import { storeOn } from "../infra/stores.ts"
import { command, noted, to, typed, upTo } from "./appends.ts"

/**
 * A process to be killed: appends without end, on several streams at once, to the database named by its environment.
 * Says on a line each what it is about to append and what was acknowledged.
 */
const writer = (number: number) =>
  Effect.gen(function* () {
    const { append } = yield* EventStore
    const stream = `${process.env["STREAM"]}-${number}`
    for (let revision = -1; ; revision += 2) {
      const commandId = randomUUID()
      console.log(`trying ${stream} ${commandId} ${revision}`)
      const events = [noted({ payload: typed(`subject/${stream}`, commandId) }), noted()]
      yield* append(to(stream, revision === -1 ? "none" : revision, [command({ commandId, events })]))
      console.log(`acknowledged ${stream} ${commandId} ${revision}`)
    }
  })

await Effect.runPromise(
  Effect.forEach(upTo(4), writer, { concurrency: "unbounded" }).pipe(
    Effect.provide(storeOn(Redacted.make(process.env["DATABASE_URL"] ?? "")))
  )
)
