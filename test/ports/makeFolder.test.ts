import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { makeFolder } from "#ports/makeFolder.ts"

describe("a folder", () => {
  const parent = mkdtempSync(join(tmpdir(), "cairn-folder-"))
  afterAll(() => rmSync(parent, { recursive: true }))

  it("is made with those above it, for its owner alone, and may be there", () => {
    const path = join(parent, "a", "b")
    makeFolder(path)
    makeFolder(path)
    assert.strictEqual(statSync(path).mode & 0o777, 0o700)
    assert.strictEqual(statSync(join(parent, "a")).mode & 0o777, 0o700)
  })

  it("is not made behind a link to nowhere, in a file, or where none can be, and that is said", () => {
    symlinkSync(join(parent, "nowhere", "deep"), join(parent, "link"))
    writeFileSync(join(parent, "file"), "")
    for (const path of ["link", join("link", "below")]) assert.throws(() => makeFolder(join(parent, path)), /ENOENT/)
    assert.throws(() => makeFolder(join(parent, "file")), /EEXIST/)
    assert.throws(() => makeFolder(join(parent, "file", "below")), /ENOTDIR/)
    if (process.platform === "linux") assert.throws(() => makeFolder("/proc/nothing/below"), /ENOENT/)
  })
})
