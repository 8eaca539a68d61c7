import { parentPort } from "node:worker_threads"
import type { ToThread } from "#infra/search/thread/protocol.ts"

// The service's own program, but that some terms end it or keep it busy for ever.
parentPort!.on("message", (message: ToThread) => {
  if (message.type !== "ask" || message.name !== "frequencies") return
  const [, terms] = message.given as [unknown, ReadonlyArray<string>]
  if (terms[0] === "die") process.exit(3)
  if (terms[0] === "hang") for (;;);
})
await import("#src/searchThread.ts")
