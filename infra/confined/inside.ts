import { writeSync } from "node:fs"
import { frame, unframe } from "./frames.ts"

/** The service is trusted: a message may have any size that a file of a workspace may have. */
const limits = { frame: 1024 ** 3 + 1024 ** 2, head: 64 * 1024 ** 2 }

/**
 * The end of the conversation inside a confined process: calls `onMessage` for each message of the service, and gives
 * the function that sends one. The process ends with its stdin.
 */
export const converseWithService = (onMessage: (message: unknown) => void): ((message: object) => void) => {
  // Its stdout is the pipe to the service, which nothing else may write to.
  for (const method of ["debug", "error", "info", "log", "warn"] as const) console[method] = () => {}
  // Taken now, because just-bash blocks it while a command runs.
  const end = process.exit.bind(process, 0)
  process.stdin.on("data", unframe(limits, onMessage))
  for (const event of ["end", "error", "close"]) process.stdin.once(event, end)
  return (message) => {
    for (const part of frame(message)) {
      for (let at = 0; at < part.length; ) at += writeSync(1, part, at)
    }
  }
}
