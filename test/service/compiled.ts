import { fileURLToPath } from "node:url"
import { cachedDataVersionTag } from "node:v8"
import { startConfined } from "#infra/confined/start.ts"

/** A program that says whose compiled code it takes, and whose a process does that it confines. */
const program = fileURLToPath(new URL("./compiledWithin.ts", import.meta.url))
const { promise, resolve } = Promise.withResolvers<{ readonly tag: number } | undefined>()
const confined = startConfined(
  { program, reads: [], heapMegabytes: 128, dataMegabytes: 1_400, limits: { frame: 1024, head: 1024 } },
  (message) => resolve(message as { readonly tag: number }),
  () => resolve(undefined)
)
confined.send({})
console.log(JSON.stringify([cachedDataVersionTag(), (await promise)?.tag]))
await confined.kill()
