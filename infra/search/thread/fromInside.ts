import type { MessagePort } from "node:worker_threads"
import { Effect, Logger, LogLevel } from "effect"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import type { Origin } from "../memory/snapshot/keeping.ts"
import type { FromThread, ToThread } from "./protocol.ts"

const send = (port: MessagePort, message: FromThread) => port.postMessage(message)

/** The service's log of events, asked over this thread's port. */
export const originOver = (port: MessagePort, whose: string): Origin => {
  let next = 1
  const asked = new Map<number, (told: Extract<ToThread, { readonly type: "told" }>) => void>()
  port.on("message", (message: ToThread) => {
    if (message.type !== "told") return
    asked.get(message.id)?.(message)
    asked.delete(message.id)
  })
  return {
    whose,
    eventAt: (position) =>
      Effect.callback<string | undefined, StoreUnavailable>((resume) => {
        const id = next++
        asked.set(id, ({ event, failed }) =>
          resume(
            failed ? Effect.fail(new StoreUnavailable({ message: "the log does not answer" })) : Effect.succeed(event)
          )
        )
        send(port, { type: "asks", id, position })
        return Effect.sync(() => asked.delete(id))
      })
  }
}

/** A logger that sends this thread's lines to the service. */
export const linesOver = (port: MessagePort) =>
  Logger.layer([
    Logger.make(({ logLevel, message }) =>
      send(port, {
        type: "says",
        isWarning: LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn"),
        line: [message].flat().join(" ")
      })
    )
  ])
