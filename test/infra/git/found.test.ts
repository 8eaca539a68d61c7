import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it, vi } from "vitest"
import { anyVersion, findGit } from "#infra/git/native/git.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-git-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const asked = join(folder, "asked")
/** A folder with a git that says this, and notes that it was asked. */
const saying = (version: string) => {
  const place = join(folder, version)
  mkdirSync(place)
  writeFileSync(join(place, "git"), `#!/bin/sh\necho >> ${asked}\necho git version ${version}\n`, { mode: 0o755 })
  return place
}

it("git is the first on the path that is new enough, and says once how old it is", () => {
  const [older, newer] = [saying("2.30.1"), saying("2.47.3")]
  vi.stubEnv("PATH", `relative:${older}:${newer}`)
  for (let time = 0; time < 3; time++) assert.deepStrictEqual(findGit(), { program: join(newer, "git") })
  assert.deepStrictEqual(findGit(anyVersion), { program: join(older, "git") })
  assert.strictEqual(readFileSync(asked, "utf8"), "\n\n")
  vi.stubEnv("PATH", older)
  assert.isUndefined(findGit())
})
