import { readFileSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import { Index } from "#infra/search/memory/Index.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import type { ToThread } from "#infra/search/thread/protocol.ts"

// The service's own program, but that some terms end it or keep it busy for ever, in what an index does. It tells the
// number that the system gives it, where that is asked for.
const { told = new SharedArrayBuffer(4) } = workerData as { readonly told?: SharedArrayBuffer }

const hang = () => {
  const [own] = readFileSync("/proc/thread-self/stat", "utf8").split(" ")
  Atomics.store(new Int32Array(told), 0, Number(own))
  const index = new Index(4, comparing)
  for (;;) index.frequencies({ homes: ["home"], includePublic: true }, ["median"])
}
parentPort!.on("message", (message: ToThread) => {
  if (message.type !== "ask" || message.name !== "frequencies") return
  const [, terms] = message.given as [unknown, ReadonlyArray<string>]
  if (terms[0] === "die") process.exit(3)
  if (terms[0] === "hang") hang()
})
await import("#src/searchThread.ts")
