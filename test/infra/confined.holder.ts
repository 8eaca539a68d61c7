import { closeSync, openSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { startConfined } from "#infra/confined/start.ts"

/**
 * A service that has no file descriptors left, for a while: prints what becomes of a process that it starts then, and
 * afterwards.
 */
const confinement = {
  program: fileURLToPath(new URL("../../infra/sandbox/justBash/program.ts", import.meta.url)),
  reads: ["infra/sandbox/justBash"],
  heapMegabytes: 128,
  dataMegabytes: 1_400,
  limits: { frame: 1024 ** 2, head: 1024 ** 2 }
}

const started = async () => {
  let deaths = 0
  const one = startConfined(
    confinement,
    () => {},
    () => deaths++
  )
  const isDead = one.isDead()
  one.send({ type: "run", command: "true", output: 1 })
  await new Promise((resolve) => setTimeout(resolve, 50))
  const told = { isDead, deaths }
  await one.kill()
  return told
}

const held: Array<number> = []
try {
  for (;;) held.push(openSync(import.meta.filename, "r"))
} catch {
  // none is left
}
const without = await started()
for (const file of held) closeSync(file)
process.stdout.write(`${JSON.stringify({ without, afterwards: await started() })}\n`)
