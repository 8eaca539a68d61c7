import { worked } from "./processor.ts"

/**
 * The service, with a timer beside it in its own event loop: between two of its ticks lies the longest that anybody
 * else waited. It counts processor time, so that a machine that is busy with other things accuses nobody.
 *
 * Lines on standard input: `begin` starts anew, `end` answers with a line `held MILLISECONDS`.
 */

const { pid } = process
let held = 0
let before = worked(pid)

setInterval(() => {
  const now = worked(pid)
  held = Math.max(held, now - before)
  before = now
}, 2).unref()

process.stdin.setEncoding("utf8").on("data", (lines: string) => {
  if (lines.includes("begin")) held = 0
  if (lines.includes("end")) process.stdout.write(`held ${held}\n`)
})

await import("../../src/main.ts")
