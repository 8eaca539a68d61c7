import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "vitest"

const flags = "Deno" in globalThis ? ["run", "-A"] : ["--disable-warning=ExperimentalWarning"]

it.skipIf(process.platform === "win32")(
  "a process that can't be started is dead, says so once, and takes nobody with it",
  async () => {
    const holder = fileURLToPath(new URL("./confined.holder.ts", import.meta.url))
    const limited = ["-c", 'ulimit -n 128; exec "$@"', "sh", process.execPath, ...flags, holder]
    const { stdout } = await promisify(execFile)("/bin/sh", limited)
    assert.deepStrictEqual(JSON.parse(stdout), {
      without: { isDead: true, deaths: 1 },
      afterwards: { isDead: false, deaths: 0 }
    })
  }
)
