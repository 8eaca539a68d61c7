import { execFile } from "node:child_process"
import fs from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, it } from "vitest"
import { git, noGit, temporaryDirectory } from "./git.ts"

const flags = "Deno" in globalThis ? ["run", "-A"] : ["--disable-warning=ExperimentalWarning"]
const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

it.skipIf(noGit || process.platform === "win32")(
  "git that can't be started fails with the system's error, and takes nobody with it",
  async () => {
    git(directory, ["init", "-q", "--bare", "one.git"])
    const holder = fileURLToPath(new URL("./spawn.holder.ts", import.meta.url))
    // more than a runtime takes to begin, with what it inherits on a busy machine
    const limited = ["-c", 'ulimit -n 1024; exec "$@"', "sh", process.execPath, ...flags, holder, directory]
    const { stdout } = await promisify(execFile)("/bin/sh", limited)
    assert.deepStrictEqual(JSON.parse(stdout), {
      without: ["EMFILE", "EMFILE", "EMFILE", "unchecked"],
      afterwards: [null, null, null, null]
    })
  }
)
