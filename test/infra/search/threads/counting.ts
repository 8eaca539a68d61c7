import { parentPort } from "node:worker_threads"
import type { FromThread, ToThread } from "#infra/search/thread/protocol.ts"

// Answers each question with how many it has got.
const say = (message: FromThread) => parentPort!.postMessage(message)
let asked = 0
parentPort!.on("message", (message: ToThread) => {
  if (message.type === "ask") say({ type: "done", id: message.id, value: ++asked, size: 0 })
})
say({ type: "ready" })
