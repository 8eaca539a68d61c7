import { closeSync, openSync } from "node:fs"
import { startMounts } from "#infra/sandbox/bubblewrap/Mounts.ts"
import { startShellCommand } from "#infra/sandbox/bubblewrap/shellCommand.ts"
import type { Tools } from "#infra/sandbox/bubblewrap/tools.ts"

/** A service that has no file descriptors left: prints the codes with which a sandbox and a command in one fail. */
const names = ["bwrap", "setpriv", "unshare", "nsenter", "prlimit", "mount", "bash", "find", "xargs", "tar"]
// none of them is started
const tools = Object.fromEntries(names.map((name) => [name, `/usr/bin/${name}`])) as Tools
const codeOf = (ended: Promise<unknown>) =>
  ended.then(
    () => null,
    ({ code }) => code
  )

const held: Array<number> = []
try {
  for (;;) held.push(openSync(import.meta.filename, "r"))
} catch {
  // none is left
}
const mounts = await codeOf(startMounts(tools))
const { ended, kill } = startShellCommand(tools, { pid: process.pid } as never, "true", 1_000, 1_000)
// it may fail before anybody waits for its end
await new Promise((resolve) => setTimeout(resolve, 50))
const command = [await codeOf(ended), await codeOf(kill())]
for (const file of held) closeSync(file)
const gone = { ...tools, bash: "/nothing/there" }
const missing = [
  await codeOf(startMounts(gone)),
  await codeOf(startShellCommand(gone, { pid: process.pid } as never, "true", 1_000, 1_000).ended)
]
process.stdout.write(`${JSON.stringify({ mounts, command, missing })}\n`)
