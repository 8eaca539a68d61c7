import fs from "node:fs"
import { afterAll, assert, describe, it, vi } from "vitest"
import { hasObject, isPacked, objectSize, openObject, readObject } from "#infra/git/objects/read.ts"
import { temporaryDirectory } from "./git.ts"
import { nameOf, type PackEntry, writePack } from "./packOf.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

const entryOf = (text: string): PackEntry => ({ sha: nameOf(text), type: 3, data: Buffer.from(text) })
const packsOf = (gitdir: string) => fs.readdirSync(`${gitdir}/objects/pack`).filter((name) => name.endsWith(".pack"))

/** A repository of an object in a pack, of which only the index is right. */
const withoutPack = (name: string, instead: (path: string) => void) => {
  const gitdir = `${directory}/${name}.git`
  const lost = entryOf(`lost of ${name}`)
  writePack(gitdir, [lost])
  const path = `${gitdir}/objects/pack/${packsOf(gitdir)[0]!}`
  fs.rmSync(path)
  instead(path)
  return { gitdir, lost: lost.sha }
}

/** The first of them has turns in between: it ends in its time where the others would never let a test end. */
const asked = [openObject, readObject, objectSize]

describe("an index whose pack is gone", () => {
  it("is none: what it tells of is not there, and what another pack has is", async () => {
    const { gitdir, lost } = withoutPack("gone", () => {})
    for (const ask of asked) assert.isUndefined(await ask(gitdir, lost))
    assert.isFalse(await isPacked(gitdir, lost))
    assert.isFalse(await hasObject(gitdir, lost))
    const there = entryOf("there")
    writePack(gitdir, [there])
    assert.strictEqual(Buffer.from((await readObject(gitdir, there.sha))!.content).toString(), "there")
    for (const ask of asked) assert.isUndefined(await ask(gitdir, lost))
  })

  it("is looked for in vain, and not for ever, where its name leads nowhere", async () => {
    const { gitdir, lost } = withoutPack("nowhere", (path) => fs.symlinkSync(`${path}.elsewhere`, path))
    for (const ask of asked) assert.isUndefined(await ask(gitdir, lost))
  })
})

describe("what is held of the indexes of packs", () => {
  const MiB = 1024 * 1024
  /** A repository of one pack, with an index of so many bytes: what lies behind its places nobody reads. */
  const withIndexOf = (name: string, bytes: number) => {
    const gitdir = `${directory}/${name}.git`
    const entry = entryOf(name)
    writePack(gitdir, [entry])
    fs.truncateSync(`${gitdir}/objects/pack/${packsOf(gitdir)[0]!.replace(/pack$/, "idx")}`, bytes)
    return async () => assert.strictEqual(Buffer.from((await readObject(gitdir, entry.sha))!.content).toString(), name)
  }

  it("is nothing but where to look of one above 8 MiB, which is not read whole", async () => {
    const whole = vi.spyOn(fs, "readFileSync")
    const pieces = vi.spyOn(fs, "readSync")
    const read = withIndexOf("large", 8 * MiB + 1)
    for (let times = 0; times < 3; times++) await read()
    assert.lengthOf(whole.mock.calls, 0)
    const bytes = pieces.mock.results.reduce((sum, { value }) => sum + value, 0)
    assert.isBelow(bytes, 4 * 1024)
  })

  it("is 16 MiB in all: the one that was looked into last is read once", async () => {
    const [first, second, third] = ["first", "second", "third"].map((name) => withIndexOf(name, 7 * MiB))
    const whole = vi.spyOn(fs, "readFileSync")
    for (const read of [first!, second!, first!, second!]) await read()
    assert.lengthOf(whole.mock.calls, 2)
    await third!()
    await second!()
    assert.lengthOf(whole.mock.calls, 3)
    await first!()
    assert.lengthOf(whole.mock.calls, 4)
  })
})
