import { randomBytes } from "node:crypto"
import fs from "node:fs"
import { afterAll, assert, describe, it } from "vitest"
import type { Breath } from "#infra/git/Breath.ts"
import { compress } from "#infra/git/objects/compressed.ts"
import { applyDelta } from "#infra/git/objects/delta.ts"
import { fanOut, loosePath } from "#infra/git/objects/loose.ts"
import { headOf, newObject } from "#infra/git/objects/object.ts"
import { objectSize, openObject, readObject } from "#infra/git/objects/read.ts"
import { emptyTree, parseTree } from "#infra/git/objects/tree.ts"
import { writeObjects } from "#infra/git/objects/write.ts"
import { temporaryDirectory } from "./git.ts"
import { copy, nameOf, type PackEntry, varint, writePack } from "./packOf.ts"
import { roundsDuring } from "./rounds.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))
const MiB = 1024 * 1024

/** A repository with a pack of these entries, of which the last one counts. */
const packed = (name: string, entries: ReadonlyArray<PackEntry>, placed?: (offset: number) => number) => {
  writePack(`${directory}/${name}.git`, entries, placed)
  return { gitdir: `${directory}/${name}.git`, sha: entries.at(-1)!.sha }
}

const refused = async (read: () => Promise<unknown>): Promise<string> => {
  try {
    await read()
    return "nothing"
  } catch (error) {
    return (error as Error).message
  }
}

const delta = (before: number, after: number, ...instructions: ReadonlyArray<ReadonlyArray<number>>): Uint8Array =>
  Buffer.from([...varint(before), ...varint(after), ...instructions.flat()])

describe("an object of a pack that lies", () => {
  const base: PackEntry = { sha: nameOf("base"), type: 3, data: Buffer.from("hello") }
  const reads = (name: string, entries: ReadonlyArray<PackEntry>, placed?: (offset: number) => number) => {
    const { gitdir, sha } = packed(name, entries, placed)
    return refused(() => readObject(gitdir, sha))
  }

  it("is read where it does not", async () => {
    const { gitdir, sha } = packed("true", [
      base,
      { sha: nameOf("x"), type: 6, base: 0, data: delta(5, 8, copy(0, 5), [3], [65, 66, 67]) }
    ])
    assert.strictEqual(Buffer.from((await readObject(gitdir, sha))!.content).toString(), "helloABC")
    assert.strictEqual(await objectSize(gitdir, sha), 8)
  })

  it("is no more than it says, however little takes its place", async () => {
    for (const [says, length] of [
      [100, MiB],
      [100, 64 * MiB],
      [MiB, 64 * MiB],
      [100, 99]
    ] as const) {
      const name = `bomb-${says}-${length}`
      const { gitdir, sha } = packed(name, [{ sha: nameOf(name), type: 3, data: Buffer.alloc(length), says }])
      assert.match(await refused(() => readObject(gitdir, sha)), /length|longer/, name)
    }
  })

  it("is no larger than a workspace may be, whatever a delta of some bytes makes of it", async () => {
    const copies = Array.from({ length: 256 }, () => copy(0, 0x10000))
    const sizes = [0x10000, 16 * MiB, 4096 * MiB]
    const entries: Array<PackEntry> = [{ ...base, data: Buffer.alloc(sizes[0]!) }]
    for (const [index, size] of sizes.slice(1).entries()) {
      entries.push({ sha: nameOf(`d${size}`), type: 6, base: index, data: delta(sizes[index]!, size, ...copies) })
    }
    const { gitdir, sha } = packed("growing", entries)
    assert.match(await refused(() => readObject(gitdir, sha)), /says that it has 4294967296 bytes/)
    assert.match(await refused(() => objectSize(gitdir, sha)), /says that it has 4294967296 bytes/)
    assert.strictEqual((await readObject(gitdir, entries[1]!.sha))?.content.length, 16 * MiB)
  })

  it("is no delta of itself, or of one that is a delta of it", async () => {
    const [one, other] = [nameOf("one"), nameOf("other")]
    const data = delta(5, 5, copy(0, 5))
    assert.match(await reads("itself", [{ sha: one, type: 7, base: one, data }]), /does not end/)
    const both: ReadonlyArray<PackEntry> = [
      { sha: one, type: 7, base: other, data },
      { sha: other, type: 7, base: one, data }
    ]
    assert.match(await reads("each-other", both), /does not end/)
    assert.match(await reads("nobody", [{ sha: one, type: 7, base: other, data }]), /not in its pack/)
  })

  it("has nothing of what lies beside its base in memory", async () => {
    const bad: ReadonlyArray<readonly [string, Uint8Array]> = [
      ["past the base's end", delta(5, 100, copy(0, 100))],
      ["past its own end", delta(5, 3, copy(0, 5))],
      ["less than it says", delta(5, 100, copy(0, 5))],
      ["an instruction that is cut off", delta(5, 5, [0x91])],
      ["an instruction that means nothing", delta(5, 5, [0])],
      ["another base", delta(6, 5, copy(0, 5))],
      ["nothing at all", new Uint8Array()]
    ]
    for (const [name, data] of bad) {
      const said = await reads(name, [base, { sha: nameOf(name), type: 6, base: 0, data }])
      assert.match(said, /^a delta (is|makes|ends)/, name)
    }
  })

  it("is refused where a delta's copy is cut off, be it in its offset or in its size", async () => {
    const breath = { take: () => Promise.resolve() } as unknown as Breath
    const base = new Uint8Array(0x20000)
    const whole = delta(base.length, 0x10000, [0x80])
    assert.lengthOf(await applyDelta(base, whole, breath), 0x10000)
    for (const instruction of [[0x81], [0x90], [0xb0, 1], [0xf0, 0, 0]]) {
      const made = applyDelta(base, delta(base.length, 0x10000, instruction), breath)
      assert.strictEqual(await made.catch((error: Error) => error.message), "a delta ends too early", `${instruction}`)
    }
  })

  it("is not where its index says", async () => {
    for (const place of [0x7ffffff0, 5]) {
      assert.match(await reads(`elsewhere-${place}`, [base], () => place), /no object where|length/)
    }
  })
})

describe("an object's own file that lies", () => {
  it("is no object, whether it has more than it says or less", async () => {
    const gitdir = `${directory}/lying.git`
    for (const length of [100, MiB]) {
      for (const says of [length - 1, length + 1]) {
        const sha = nameOf(`${says} of ${length}`)
        fs.mkdirSync(fanOut(gitdir, sha), { recursive: true })
        fs.writeFileSync(loosePath(gitdir, sha), await compress(headOf("blob", says), randomBytes(length)))
        assert.match(
          await refused(() => readObject(gitdir, sha)),
          /^an object (has another length|is \w+er) than it says/
        )
      }
    }
  })
})

describe("a tree that lies", () => {
  it("ends where its bytes do", async () => {
    for (const bytes of ["100644", "100644 name", "100644 name\0short"]) {
      const parsed = parseTree(emptyTree.sha, Buffer.from(bytes)).then(({ entries }) => entries.size)
      assert.match(await refused(() => parsed), /ends too early/)
    }
  })
})

// Deno does all of zlib's work on the thread that asks for it: without a breath in between nobody else has a turn
describe("a large object lets others have their turn", () => {
  const noise = randomBytes(24 * MiB)

  it("while it is compressed", async () => {
    assert.isAtLeast(await roundsDuring(() => compress(headOf("blob", noise.length), noise)), 5)
  })

  it("while it is read", async () => {
    const gitdir = `${directory}/loose.git`
    fs.mkdirSync(`${gitdir}/objects`, { recursive: true })
    const object = newObject("blob", noise)
    await writeObjects(gitdir, [object])
    const rounds = await roundsDuring(async () =>
      assert.isTrue(noise.equals((await readObject(gitdir, object.sha))!.content))
    )
    assert.isAtLeast(rounds, 5)
    const opened = await openObject(gitdir, object.sha)
    assert.strictEqual(opened?.size, noise.length)
    await opened?.file.close()
  })

  it("while it is made of deltas on deltas", async () => {
    const [piece, size] = [0x10000, 16 * MiB]
    const copies = Array.from({ length: size / piece }, () => copy(0, piece))
    const entries: Array<PackEntry> = [{ sha: nameOf("0"), type: 3, data: Buffer.alloc(piece, "h") }]
    for (let base = 0; base < 30; base++) {
      const data = delta(base === 0 ? piece : size, size, ...copies)
      entries.push({ sha: nameOf(`${base + 1}`), type: 6, base, data })
    }
    const { gitdir, sha } = packed("deep", entries)
    const rounds = await roundsDuring(async () =>
      assert.isTrue(Buffer.alloc(size, "h").equals((await readObject(gitdir, sha))!.content))
    )
    assert.isAtLeast(rounds, 5)
  })

  it("while a delta makes it byte by byte", async () => {
    const count = 200_000
    const instructions = Buffer.concat([delta(0, count), Buffer.from("\u0001A".repeat(count))])
    let taken = 0
    const breath = { take: () => Promise.resolve(void (taken += 1)) } as unknown as Breath
    const made = await applyDelta(new Uint8Array(), instructions, breath)
    assert.isTrue(Buffer.alloc(count, "A").equals(made))
    assert.isAtLeast(taken, 5)
  })

  it("while it is a tree of very many entries", async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, n) => `100644 ${n}\0${"a".repeat(20)}`).join(""))
    const rounds = await roundsDuring(async () => {
      assert.strictEqual((await parseTree(emptyTree.sha, bytes)).entries.size, 200_000)
    })
    assert.isAtLeast(rounds, 3)
  })
})
