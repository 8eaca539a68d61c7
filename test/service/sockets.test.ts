import { spawn } from "node:child_process"
import { once } from "node:events"
import { Agent, get } from "node:http"
import { createRequire } from "node:module"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"

interface Start {
  readonly sparing: (runtime: object, megabytes: number) => Runtime
  readonly either: () => object
  readonly node: () => object
}
interface Runtime {
  readonly path: string
  readonly args: ReadonlyArray<string>
  readonly env: object
}
const { sparing, either, node } = createRequire(import.meta.url)("../../start.cjs") as Start

it("sockets are looked at in each round of the event loop, also when there is always more to do", async () => {
  const { path, args, env } = sparing("Deno" in globalThis ? either() : node(), 500)
  const program = fileURLToPath(new URL("./busy.ts", import.meta.url))
  const busy = spawn(path, [...args, program], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env }
  })
  try {
    const [line] = (await once(busy.stdout, "data")) as [Buffer]
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const counts: Array<number> = []
    while (counts.length < 20) {
      const [answer] = (await once(get(`http://127.0.0.1:${Number(String(line))}`, { agent }), "response")) as [
        Readable
      ]
      counts.push(Number((await answer.toArray()).join("")))
    }
    agent.destroy()
    const waited = counts.slice(1).map((count, at) => count - counts[at]!)
    // by itself Deno looks once in 61 rounds
    assert.isBelow(waited.toSorted((one, other) => one - other)[waited.length >> 1]!, 30, waited.join(" "))
  } finally {
    busy.kill()
    await once(busy, "exit")
  }
})
