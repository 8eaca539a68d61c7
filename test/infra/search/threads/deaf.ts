import { readFileSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import type { FromThread, ToThread } from "#infra/search/thread/protocol.ts"

// Hears nothing while it is at its first question, until it is let go. It tells the number that the system gives it.
const letGo = new Int32Array((workerData as { readonly letGo: SharedArrayBuffer }).letGo)
const say = (message: FromThread) => parentPort!.postMessage(message)
parentPort!.on("message", (message: ToThread) => {
  if (message.type === "end") process.exit(0)
  if (message.type !== "ask") return
  Atomics.store(letGo, 1, Number(readFileSync("/proc/thread-self/stat", "utf8").split(" ")[0]))
  while (Atomics.load(letGo, 0) === 0) Atomics.wait(letGo, 0, 0)
  say({ type: "done", id: message.id, value: "heard", size: 0 })
})
say({ type: "ready" })
