import { fileURLToPath } from "node:url"
import { Effect, Queue } from "effect"
import { startConfined } from "../../confined/start.ts"
import { dataMegabytes, heapMegabytes } from "./limits.ts"
import type { FromChild, ToChild } from "./protocol.ts"

/** A process with a shell in it. What it sends lies in `inbox` until taken; nothing is added once it was killed. */
export interface Child {
  readonly inbox: Queue.Dequeue<FromChild>
  /** Sends a message, which is lost if the process is dead. */
  readonly send: (message: ToChild) => void
  /** Whether it has ended, by itself or killed. */
  readonly isDead: () => boolean
  readonly kill: Effect.Effect<void>
}

const confinement = {
  program: fileURLToPath(new URL("./program.ts", import.meta.url)),
  reads: ["infra/sandbox/justBash"],
  heapMegabytes,
  dataMegabytes,
  // a frame holds at most a file that the child writes; the rest of its messages is short
  limits: { frame: 1024 ** 3 + 1024 ** 2, head: 1024 ** 2 }
}

export const startChild: Effect.Effect<Child> = Effect.gen(function* () {
  const inbox = yield* Queue.unbounded<FromChild>()
  const child = startConfined(
    confinement,
    (message) => Queue.offerUnsafe(inbox, message as FromChild),
    () => Queue.offerUnsafe(inbox, { type: "died" })
  )
  return {
    inbox,
    send: child.send,
    isDead: child.isDead,
    kill: Effect.promise(child.kill)
  }
})
