import { closeSync, openSync, writeSync } from "node:fs"
import { ignoredOf } from "../../src/agent/ignored.ts"

/**
 * A program that has no file descriptors left, for a while: prints which files are ignored then, and afterwards, and
 * whether something of it held the program up when it was done. Its argument is the folder.
 */
const ignored = async () => [...(await ignoredOf(process.argv[2]!, ["a.tmp", "b.py"]))].filter((path) => path !== "")

// what it needs of the runtime is loaded with the first use
await ignored()
const held: Array<number> = []
try {
  for (;;) held.push(openSync(import.meta.filename, "r"))
} catch {
  // none is left
}
const without = await ignored()
for (const file of held) closeSync(file)
const afterwards = await ignored()
const done = performance.now()
process.on("exit", () => writeSync(1, JSON.stringify({ without, afterwards, late: performance.now() - done > 5_000 })))
