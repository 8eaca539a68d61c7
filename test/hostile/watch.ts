import { readFileSync } from "node:fs"
import { Agent, get } from "node:http"

/**
 * A process beside the service: asks `/health` again and again, and looks at its memory.
 *
 * Commands come as lines: `watch URL PID` goes on with another process, `blind` looks at none from when it is answered
 * on, `begin` starts anew, `end` answers with a line of JSON.
 */

export interface Seen {
  /** Milliseconds of the longest look by the clock. */
  readonly silent: number
  /** MiB that the process took at most, and at the beginning. */
  readonly peak: number
  readonly before: number
  readonly looks: number
  /** Looks that were refused or cut. */
  readonly failed: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let target: { readonly url: string; readonly pid: number } | undefined

const mebibytes = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const look = (url: string) =>
  new Promise<boolean>((resolve) => {
    const request = get(`${url}/health`, { agent }, (response) => {
      response.resume()
      response.once("end", () => resolve(response.statusCode === 200))
      response.once("error", () => resolve(false))
    })
    request.once("error", () => resolve(false))
  })

const nothing = { silent: 0, peak: 0, before: 0, looks: 0, failed: 0 }
let seen: { -readonly [K in keyof Seen]: Seen[K] } = { ...nothing }
/** Looks are one after another: what began before `begin` does not count. */
let round = 0

/**
 * Between two looks, in milliseconds. Each takes some of the processor on both sides, and the busier a machine is the
 * longer it is looked.
 */
const between = 25
const pause = () => new Promise((resolve) => setTimeout(resolve, between))

const watching = async () => {
  for (;;) {
    if (target === undefined) {
      await pause()
      continue
    }
    const { url, pid } = target
    const mine = round
    const clock = performance.now()
    const fine = await look(url)
    if (mine === round && target?.pid === pid) {
      seen.silent = Math.max(seen.silent, performance.now() - clock)
      seen.peak = Math.max(seen.peak, mebibytes(pid))
      seen.looks += 1
      if (!fine) seen.failed += 1
    }
    await pause()
  }
}

const obey = (line: string) => {
  const [verb, url, pid] = line.split(" ")
  if (verb === "watch") target = { url: url!, pid: Number(pid) }
  if (verb === "blind") {
    target = undefined
    process.stdout.write("blind\n")
  }
  if (verb === "begin") {
    round += 1
    const now = target === undefined ? 0 : mebibytes(target.pid)
    seen = { ...nothing, peak: now, before: now }
  }
  if (verb === "end") process.stdout.write(`${JSON.stringify(seen)}\n`)
}

if (process.argv[2] === "watch") {
  let rest = ""
  process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop()!
    for (const line of lines) obey(line)
  })
  process.stdin.once("end", () => process.exit(0))
  void watching()
}
