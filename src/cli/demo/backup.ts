import assert from "node:assert/strict"
import { join } from "node:path"
import { cairn, type Running, serve } from "./programs.ts"

/** Makes a backup of the running service and restores it into another folder; a service there has the same. */
export const backUpAndRestore = async (
  service: Running,
  dataDir: string,
  folder: string,
  same: (service: Running) => Promise<unknown>,
  say: (line: string) => void
) => {
  const to = join(folder, "backup")
  const restored = join(folder, "restored")
  for (const [at, ...args] of [
    [dataDir, "backup", to],
    [restored, "restore", to]
  ] as const) {
    const { code, out, err } = await cairn(at, ...args)
    say(`   $ cairn ${args.join(" ")}`)
    const lines = (out || err).trimEnd().split("\n")
    for (const line of lines.slice(-3)) say(`     ${line}`)
    assert.equal(code, 0, err)
  }
  const before = await same(service)
  // keys are what they were, but only those who were given a key have its text
  const other = await serve(restored, {}, service.key)
  try {
    assert.deepEqual(await same(other), before)
    say(`   the restored one answers at ${other.url} as the other does`)
  } finally {
    await other.stop()
  }
}
