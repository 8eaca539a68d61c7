import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, it } from "vitest"
import { clusterOf } from "#infra/postgres/launcher/cluster.ts"
import { lastWordsIn, openLog } from "#infra/postgres/launcher/serverLog.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-server-log-"))
  mkdirSync(join(folder, "postgres"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const cluster = () => clusterOf(folder)

it("a server's last words are the end of its log, whole where it is short", () => {
  writeFileSync(cluster().log, "first\nlast\n")
  assert.strictEqual(lastWordsIn(cluster()), "first\nlast\n")
  appendFileSync(cluster().log, `${"-".repeat(1024 * 1024)}end\n`)
  const words = lastWordsIn(cluster())
  assert.isTrue(words.endsWith("-end\n"))
  assert.notInclude(words, "first")
  assert.lengthOf(words, 256 * 1024)
  // it began anew
  writeFileSync(cluster().log, "")
  assert.strictEqual(lastWordsIn(cluster()), "")
})

it("a server without a log has said nothing", () => {
  assert.strictEqual(lastWordsIn(cluster()), "")
  assert.strictEqual(lastWordsIn(clusterOf(join(folder, "nowhere"))), "")
})

it.skipIf(process.platform === "win32")(
  "what is in the place of a server's log has said nothing, nor is it waited for",
  () => {
    const { log } = cluster()
    const secret = join(folder, "secret")
    writeFileSync(secret, "LOG:  redo in progress, elapsed time: 1.00 s\n")
    for (const put of [
      () => symlinkSync(secret, log),
      () => mkdirSync(log),
      () => void execFileSync("mkfifo", [log]),
      () => symlinkSync("/dev/zero", log)
    ]) {
      put()
      assert.strictEqual(lastWordsIn(cluster()), "")
      rmSync(log, { recursive: true })
    }
  }
)

it("a server writes behind what is in its log", () => {
  for (const words of ["first", "last"]) {
    const log = openLog(cluster())
    writeSync(log, `${words}\n`)
    closeSync(log)
  }
  assert.strictEqual(lastWordsIn(cluster()), "first\nlast\n")
})

it.skipIf(process.platform === "win32")("but not into somebody else's file that its log is a link to", () => {
  const theirs = join(folder, "theirs")
  writeFileSync(theirs, "theirs")
  symlinkSync(theirs, cluster().log)
  assert.throws(() => closeSync(openLog(cluster())), /ELOOP|symbolic link/)
  assert.strictEqual(readFileSync(theirs, "utf8"), "theirs")
})
