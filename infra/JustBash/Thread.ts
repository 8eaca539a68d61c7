import { Worker } from "node:worker_threads"
import { Effect, Queue } from "effect"
import { resourceLimits } from "./limits.ts"
import type { FromWorker, ToWorker } from "./protocol.ts"

/** A Worker with a shell in it. What it sends lies in `inbox` until it is taken; nothing is added once it was killed. */
export interface Thread {
  readonly inbox: Queue.Dequeue<FromWorker>
  readonly send: (message: ToWorker) => void
  readonly isDead: () => boolean
  readonly kill: Effect.Effect<void>
}

export const startThread: Effect.Effect<Thread> = Effect.gen(function* () {
  const inbox = yield* Queue.unbounded<FromWorker>()
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    // Nothing of the service's environment, options or output.
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits
  })
  let dead = false
  const died = () => {
    if (!dead) Queue.offerUnsafe(inbox, { type: "died" })
    dead = true
  }
  worker.on("message", (message: FromWorker) => {
    if (!dead) Queue.offerUnsafe(inbox, message)
  })
  worker.on("error", died)
  worker.on("exit", died)
  // An idle shell keeps no process alive.
  worker.unref()
  return {
    inbox,
    send: (message) => worker.postMessage(message),
    isDead: () => dead,
    kill: Effect.suspend(() => {
      dead = true
      return Effect.promise(() => worker.terminate())
    })
  }
})
