import fs from "node:fs"
import { afterAll, afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { PackIndex } from "#infra/git/objects/PackIndex.ts"
import { random } from "#test/random.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

const far = 0x1_2345_6789

/** Names in their order, each with where its object is: every tenth so far that four bytes do not tell it. */
const entries = (count: number): ReadonlyArray<readonly [name: string, offset: number]> => {
  const next = random(1)
  const name = () =>
    Array.from({ length: 20 }, () =>
      Math.floor(next() * 256)
        .toString(16)
        .padStart(2, "0")
    ).join("")
  return Array.from({ length: count }, name)
    .sort()
    .map((one, at) => [one, at % 10 === 3 ? far + at : 12 + at * 7])
}

/** As git writes it, up to the checksums at its end, which nobody reads. */
const indexOf = (some: ReturnType<typeof entries>): Buffer => {
  const uint = (...values: ReadonlyArray<number>) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4)
    return bytes
  }
  const upTo = (first: number) => some.filter(([name]) => Number.parseInt(name.slice(0, 2), 16) <= first).length
  const large = some.filter(([, offset]) => offset >= 0x80000000)
  const long = Buffer.alloc(large.length * 8)
  for (const [at, [, offset]] of large.entries()) long.writeBigUInt64BE(BigInt(offset), at * 8)
  const short = some.map((one) => (large.includes(one) ? 0x80000000 + large.indexOf(one) : one[1]))
  return Buffer.concat([
    uint(0xff744f63, 2, ...Array.from({ length: 256 }, (_, first) => upTo(first))),
    Buffer.from(some.map(([name]) => name).join(""), "hex"),
    uint(...some.map(() => 0)),
    uint(...short),
    long
  ])
}

const some = entries(500)
const bytes = indexOf(some)
const path = `${directory}/some.idx`
fs.writeFileSync(path, bytes)

describe.each([
  ["held", bytes.length],
  ["left where it is", bytes.length - 1]
])("an index that is %s", (how, most) => {
  // whether something was found, was not, or was refused: no file stays open
  beforeEach(() => {
    vi.spyOn(fs, "openSync")
    vi.spyOn(fs, "closeSync")
  })
  afterEach(() => {
    const opened = vi.mocked(fs.openSync).mock.results.flatMap(({ type, value }) => (type === "return" ? [value] : []))
    assert.deepStrictEqual(
      vi.mocked(fs.closeSync).mock.calls.map(([file]) => file),
      opened
    )
    assert.isAbove(opened.length, 0)
  })

  it("says of each object where it is, and of others that they are not there", () => {
    const index = new PackIndex(path, most)
    for (const [name, offset] of some) assert.strictEqual(index.find(name), offset, name)
    for (const name of ["0".repeat(40), "f".repeat(40)]) assert.isUndefined(index.find(name))
  })

  it("takes no more than it says of the memory, and is not read whole for each object", () => {
    const index = new PackIndex(path, most)
    assert.strictEqual(index.bytes, how === "held" ? bytes.length : 8 + 256 * 4)
    const read = vi.spyOn(fs, "readSync")
    const readWhole = vi.spyOn(fs, "readFileSync")
    index.find(some[123]![0])
    assert.strictEqual(readWhole.mock.calls.length, 0)
    assert.isAtMost(
      read.mock.results.reduce((sum, { value }) => sum + value, 0),
      12 * 20
    )
    assert.strictEqual(read.mock.calls.length > 0, how !== "held")
  })

  it("is refused where it is shorter than it says, or of another version", () => {
    const cut = `${directory}/cut-${most}.idx`
    fs.writeFileSync(cut, bytes.subarray(0, 8 + 256 * 4 + 100 * 20))
    const index = new PackIndex(cut, how === "held" ? most : 0)
    assert.throws(() => index.find(some.at(-1)![0]), /shorter than it says/)
    const other = `${directory}/other-${most}.idx`
    fs.writeFileSync(other, Buffer.from(bytes).fill(1, 4, 8))
    assert.throws(() => new PackIndex(other, most), /another version/)
    // the first version has no version: how many begin with one byte or less is there, of two here
    fs.writeFileSync(other, Buffer.from(bytes).fill(0, 0, 4))
    assert.throws(() => new PackIndex(other, most), /another version/)
    fs.writeFileSync(other, bytes.subarray(0, 500))
    assert.throws(() => new PackIndex(other, how === "held" ? most : 0))
  })

  it("says that it is missing where a repack has taken it away", () => {
    const gone = `${directory}/gone-${most}.idx`
    fs.writeFileSync(gone, bytes)
    const index = new PackIndex(gone, most)
    fs.rmSync(gone)
    if (how === "held") assert.strictEqual(index.find(some[7]![0]), some[7]![1])
    else assert.throws(() => index.find(some[7]![0]), /ENOENT/)
    assert.throws(() => new PackIndex(gone, most), /ENOENT/)
  })
})
