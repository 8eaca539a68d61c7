import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { changedSince, manifestOf, mostBytes, remembered } from "../../src/agent/manifest.ts"
import { useFolders } from "./hooked.ts"

const folders = useFolders()
const always = () => true

it("reads a file's content once, as long as it does not change", async () => {
  for (const name of ["a.py", "b.py"]) writeFileSync(join(folders.cwd, name), `print("${name}")\n`)
  const before = await manifestOf(folders.cwd, undefined)
  writeFileSync(join(folders.cwd, "b.py"), "print('more than that')\n")
  const after = await manifestOf(folders.cwd, undefined, before)
  assert.strictEqual(after.files.get("a.py"), before.files.get("a.py"), "the same, not only alike")
  assert.deepStrictEqual(changedSince(before, after, always), ["b.py"])
  assert.deepStrictEqual(
    changedSince(before, after, () => false),
    []
  )
})

it("of one that has had its time, only what was read stays, for the next look", async () => {
  for (const name of ["a.py", "b.py"]) writeFileSync(join(folders.cwd, name), `print("${name}")\n`)
  writeFileSync(join(folders.cwd, "long.txt"), "x".repeat(mostBytes + 1))
  const before = await manifestOf(folders.cwd, undefined)
  const rest = remembered(before)
  assert.deepStrictEqual([[...rest.files.keys()].sort(), rest.whole], [["a.py", "b.py"], true])
  const after = await manifestOf(folders.cwd, undefined, rest)
  assert.strictEqual(after.files.get("a.py"), before.files.get("a.py"), "the same, not only alike")
  assert.strictEqual(after.files.size, 3)
  const partly = remembered({ ...before, whole: false })
  assert.deepStrictEqual([partly.files.size, partly.whole], [0, false])
})

it("knows all files, and passes over folders that hold no work", async () => {
  for (let folder = 0; folder < 6; folder++) {
    mkdirSync(join(folders.cwd, `d${folder}/node_modules`), { recursive: true })
    for (let file = 0; file < 10; file++) writeFileSync(join(folders.cwd, `d${folder}/f${file}.py`), `x = ${file}\n`)
    writeFileSync(join(folders.cwd, `d${folder}/node_modules/x.js`), "1\n")
  }
  const { files, whole } = await manifestOf(folders.cwd, undefined)
  assert.deepStrictEqual([files.size, whole], [60, true])
})

it("says nothing of changes where not all could be looked at before", async () => {
  writeFileSync(join(folders.cwd, "a.py"), "print('a')\n")
  const after = await manifestOf(folders.cwd, undefined)
  assert.deepStrictEqual(changedSince({ files: new Map(), whole: true }, after, always), ["a.py"])
  assert.deepStrictEqual(changedSince({ files: new Map(), whole: false }, after, always), [])
})
