import fs from "node:fs"
import { afterAll, assert, it } from "vitest"
import { Quarantine } from "#infra/git/push/Quarantine.ts"
import { collectGarbage } from "#test/collectGarbage.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

it("what a push has sent is on the disk, and held by nobody while more of it comes", async () => {
  const sent: Array<WeakRef<Uint8Array>> = []
  let held = 0
  async function* pack() {
    for (let n = 0; n < 200; n++) {
      const piece = new Uint8Array(10_000).fill(n)
      sent.push(new WeakRef(piece))
      yield piece
    }
    // a WeakRef holds what it was made of up to the end of a task
    await new Promise((resolve) => setTimeout(resolve))
    collectGarbage()
    held = sent.filter((piece) => piece.deref() !== undefined).length
  }
  const quarantine = new Quarantine({ program: "git" }, directory, directory, 60)
  let came = 0
  const path = await quarantine.receive(
    pack(),
    10_000_000,
    (bytes) => void (came = bytes),
    new AbortController().signal
  )
  assert.deepStrictEqual([came, fs.statSync(path).size], [2_000_000, 2_000_000])
  assert.isAtMost(held, 4)
  await quarantine.remove()
})
