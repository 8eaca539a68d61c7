import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "vitest"

const flags = "Deno" in globalThis ? ["run", "-A"] : ["--disable-warning=ExperimentalWarning"]

it.skipIf(process.platform !== "linux")(
  "a sandbox, or a command in one, that can't be started fails with the system's error, and takes nobody with it",
  async () => {
    const holder = fileURLToPath(new URL("./spawn.holder.ts", import.meta.url))
    // more than a runtime takes to begin, with what it inherits on a busy machine
    const limited = ["-c", 'ulimit -n 1024; exec "$@"', "sh", process.execPath, ...flags, holder]
    const { stdout } = await promisify(execFile)("/bin/sh", limited)
    assert.deepStrictEqual(JSON.parse(stdout), {
      mounts: "EMFILE",
      command: ["EMFILE", "EMFILE"],
      missing: ["ENOENT", "ENOENT"]
    })
  }
)
