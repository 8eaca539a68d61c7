import { execFileSync } from "node:child_process"
import fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { afterAll, assert, describe, it, vi } from "vitest"
import { threadsOf } from "#bench/soak/look.ts"

const folder = fs.mkdtempSync(join(tmpdir(), "cairn-look-"))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Threads of this process whose names begin so. */
const countOf = (name: string): number =>
  Object.entries(threadsOf(process.pid)).reduce((sum, [one, count]) => sum + (one.startsWith(name) ? count : 0), 0)

/** Others have the processor, too. */
const patience = { timeout: 30_000 }
const isDeno = "Deno" in globalThis

describe.skipIf(process.platform !== "linux" || !isDeno)("threads of a process", () => {
  it("are told by name: each worker by the one that all have", async () => {
    const before = countOf("worker-")
    const workers = [1, 2].map(() => new Worker("setInterval(() => {}, 1_000)", { eval: true }))
    await vi.waitFor(() => assert.strictEqual(countOf("worker-"), before + 2), patience)
    await Promise.all(workers.map((worker) => worker.terminate()))
    await vi.waitFor(() => assert.strictEqual(countOf("worker-"), before), patience)
  })

  it("are no more by those that have read something, and by one that never comes back from it", async () => {
    // what another test has left there stays
    const before = threadsOf(process.pid)
    const more = () =>
      Object.entries(threadsOf(process.pid)).filter(
        ([name, count]) => name.startsWith("tokio") && count > (before[name] ?? 0)
      )
    await Promise.all(Array.from({ length: 8 }, () => fs.promises.stat(folder)))
    await vi.waitFor(() => assert.deepStrictEqual(more(), []), patience)
    const path = join(folder, "nobody writes")
    execFileSync("mkfifo", [path])
    const opened = fs.promises.open(path, "r")
    await vi.waitFor(() => assert.lengthOf(more(), 1), patience)
    fs.closeSync(fs.openSync(path, "r+"))
    await (await opened).close()
    await vi.waitFor(() => assert.deepStrictEqual(more(), []), patience)
  })
})
