import fs from "node:fs"
import { afterAll, afterEach, assert, describe, it, vi } from "vitest"
import { fanOut, loosePath } from "#infra/git/objects/loose.ts"
import { newObject } from "#infra/git/objects/object.ts"
import { writeObjects } from "#infra/git/objects/write.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
const gitdir = `${directory}/w.git`
fs.mkdirSync(`${gitdir}/objects`, { recursive: true })
afterAll(() => fs.rmSync(directory, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

/**
 * What came to the disk while objects were written, in its order: names that were placed, files and folders that were
 * synced.
 */
const writing = async (...objects: Parameters<typeof writeObjects>[1]) => {
  const [paths, steps] = [new Map<number, string>(), [] as Array<string>]
  const { openSync, fsync, renameSync } = fs
  vi.spyOn(fs, "openSync").mockImplementation((path, ...rest) => {
    const file = openSync(path, ...rest)
    paths.set(file, String(path))
    return file
  })
  vi.spyOn(fs, "fsync").mockImplementation((file, done) =>
    fsync(file, (error) => {
      steps.push(`synced ${paths.get(file)}`)
      done(error)
    })
  )
  vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
    assert.include(steps, `synced ${String(from)}`)
    renameSync(from, to)
    steps.push(`placed ${String(to)}`)
  })
  await writeObjects(gitdir, objects)
  const placed = steps.filter((step) => step.startsWith("placed"))
  // what was synced of names before they were there counts for nothing
  return { placed, synced: steps.slice(steps.findLastIndex((step) => step.startsWith("placed")) + 1) }
}

describe("objects that were written", () => {
  const objects = Array.from({ length: 40 }, (_, n) => newObject("blob", Buffer.from(`${n}`)))
  const folders = [...new Set(objects.map(({ sha }) => `synced ${fanOut(gitdir, sha)}`))].sort()

  it("are on the disk, each after those that it names, and so are the folders of their names", async () => {
    const { placed, synced } = await writing(...objects)
    assert.deepStrictEqual(
      placed,
      objects.map(({ sha }) => `placed ${loosePath(gitdir, sha)}`)
    )
    assert.deepStrictEqual(synced.sort(), [`synced ${gitdir}/objects`, ...folders])
  })

  it("by somebody else are so too: who wrote them may not have come so far", async () => {
    const { placed, synced } = await writing(...objects)
    assert.isEmpty(placed)
    assert.deepStrictEqual(synced.sort(), folders)
  })
})
