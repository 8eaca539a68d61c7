import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import fs from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import { atOnce } from "#engine/steps.ts"
import { Index } from "#infra/search/memory/Index.ts"
import { readEarly } from "#infra/search/memory/layer.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import type { SlotsImage } from "#infra/search/memory/Segment.ts"
import { type Frame, FrameReader, FrameWriter } from "#infra/search/memory/snapshot/frames.ts"
import { framesOf, headIn, Restoring } from "#infra/search/memory/snapshot/image.ts"
import { csv, median, snippet } from "../../indexed.ts"
import { fileIn, folder, type KeptBy, keptIn, opened, saying } from "./kept.ts"

const snippets = [
  snippet("home", "a", median, { up: 2 }),
  snippet("home", "b", csv, { agent: "one", language: "go" }),
  snippet("other", "c", median, { isPublic: true, vector: null })
]
const upTo = { build: 1, position: 5 }
const put = { put: snippets, voted: [], removed: [] }

/** A snapshot of three snippets, frame by frame. */
const pieces = (() => {
  const index = new Index(128, comparing)
  for (const one of snippets) index.put(one)
  const head = { of: "these", dimensions: 128, ...upTo, event: "e", refused: [], documents: index.size }
  const writer = new FrameWriter()
  return Array.from(framesOf(head, index), (frame) => writer.bytesOf(frame))
})()
const whole = Buffer.concat(pieces)

/** Whether all of it is taken; `false` or a fault where it is not. */
const taken = (bytes: Uint8Array): boolean => {
  const reader = new FrameReader(bytes.length)
  let restoring: Restoring | undefined
  for (const frame of reader.read(bytes)) {
    if (restoring === undefined) restoring = new Restoring(headIn(frame), comparing)
    else atOnce(restoring.taking(frame))
  }
  return reader.isWhole && restoring?.isWhole === true
}

/** How many frames are read; a fault where one is not as it was written, or cut off. */
const framesIn = (bytes: Uint8Array): number => {
  const reader = new FrameReader(bytes.length)
  const frames = Array.from(reader.read(bytes))
  assert.isTrue(reader.isWhole)
  return frames.length
}

it("another byte anywhere, or its end anywhere before it, and it is not taken", () => {
  assert.isTrue(taken(whole))
  const ends = new Set(pieces.map((_, at) => Buffer.concat(pieces.slice(0, at)).length))
  for (let at = 0; at < whole.length; at++) {
    const other = Buffer.from(whole)
    other[at]! ^= 1 << (at % 8)
    assert.throws(() => framesIn(other), undefined, undefined, `at ${at}`)
    const cut = whole.subarray(0, at)
    if (ends.has(at)) assert.isFalse(taken(cut), `up to ${at}`)
    else assert.throws(() => framesIn(cut), undefined, undefined, `up to ${at}`)
  }
})

it("frames that are left out, or come twice, or in another order, and it is not taken", () => {
  for (let at = 0; at < pieces.length; at++) {
    const rest = [...pieces.slice(0, at), ...pieces.slice(at + 1)]
    if (at < pieces.length - 1) assert.throws(() => framesIn(Buffer.concat(rest)))
    assert.throws(() => framesIn(Buffer.concat([...pieces.slice(0, at), pieces[at]!, ...pieces.slice(at)])))
    const [one, other] = [pieces[at]!, pieces[(at + 1) % pieces.length]!]
    const changed = pieces.map((piece) => (piece === one ? other : piece === other ? one : piece))
    assert.throws(() => framesIn(Buffer.concat(changed)))
  }
})

it("an id that stands there twice is a fault", () => {
  const [index, other] = [new Index(128, comparing), new Index(128, comparing)]
  for (const one of snippets) index.put(one)
  const [segment] = [...index.segments()]
  const [image] = [...segment!.images()] as [SlotsImage]
  atOnce(other.restore("home", false, image))
  assert.throws(() => atOnce(other.restore("another", false, image)), /twice/)
})

it("comes in pieces of any size", () => {
  for (const size of [1, 7, 16, 1_000]) {
    const reader = new FrameReader(whole.length)
    let frames = 0
    for (let at = 0; at < whole.length; at += size) for (const _ of reader.read(whole.subarray(at, at + size))) frames++
    assert.deepStrictEqual([frames, reader.isWhole], [pieces.length, true])
  }
})

/** Keeps three snippets, does something to the file, and tells what the next one says of itself, and in the log. */
const after = (
  change: (path: string) => void,
  { isEarly = false, ...by }: KeptBy & { readonly isEarly?: boolean } = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      const path = fileIn(directory)
      yield* opened(keptIn(directory), ({ apply }) => apply(put, upTo))
      change(path)
      const kept = keptIn(directory, { least: 1_000, ...by })
      const next = isEarly ? Layer.provide(kept, readEarly({ directory, rules: by.rules ?? "rules" })) : kept
      const looked = opened(next, ({ stand, size }) => Effect.all([stand, size!]))
      const { value, lines } = yield* saying(looked)
      return { stand: value[0], size: value[1], lines, isThere: existsSync(path) }
    })
  )

const refused = (found: Effect.Success<ReturnType<typeof after>>, why: RegExp) => {
  assert.deepStrictEqual([found.stand, found.size], [{ build: undefined, position: 0 }, 0])
  assert.lengthOf(found.lines, 1)
  assert.match(found.lines[0]!, why)
  assert.isFalse(found.isThere)
}

const frameOf = (head: unknown): Frame => {
  const { kind } = new FrameReader(whole.length).read(whole).next().value as Frame
  return { kind, parts: [Buffer.from(JSON.stringify(head))] }
}

it("a frame is no longer than 64 MiB, and a vector has no more numbers than any that there are", () => {
  const header = Buffer.from(Uint32Array.of(1, 1, 2 ** 31, 0).buffer)
  assert.throws(() => [...new FrameReader(2 ** 40).read(header)], "longer than any that is written")
  const part = new Uint8Array(2 ** 26)
  assert.throws(() => new FrameWriter().bytesOf({ kind: 1, parts: [part] }), "too long")
  const head = { of: "these", dimensions: 128, ...upTo, event: "e", refused: [], documents: 0 }
  assert.strictEqual(headIn(frameOf(head)).dimensions, 128)
  for (const dimensions of [0, 1.5, 2 ** 31]) assert.throws(() => headIn(frameOf({ ...head, dimensions })))
})

it.live("of another release's no more is read than what it says of itself", () =>
  Effect.gen(function* () {
    // nothing of what follows could be read
    const spoiled = (change: (of: string) => string) => (path: string) => {
      const bytes = readFileSync(path)
      const head = headIn(new FrameReader(bytes.length).read(bytes).next().value as Frame)
      const first = new FrameWriter().bytesOf(frameOf({ ...head, of: change(head.of) }))
      writeFileSync(path, Buffer.concat([first, Buffer.alloc(100_000, "snippet")]))
    }
    const others = [(of: string) => `0${of}`, (of: string) => `${of}1`]
    for (const isEarly of [false, true])
      for (const other of others)
        refused(yield* after(spoiled(other), { isEarly }), /another release made its snapshot/)
    refused(yield* after(spoiled(others[0]!), { secret: "another" }), /another installation/)
  })
)

it.live("what was kept is there again, and says nothing", () =>
  Effect.gen(function* () {
    for (const isEarly of [false, true]) {
      const found = yield* after(() => undefined, { isEarly })
      assert.deepStrictEqual(found, { stand: upTo, size: 3, lines: [], isThere: true })
    }
  })
)

it.live("a damaged file, or one that is none, is said in one line, removed, and nothing of it is taken", () =>
  Effect.gen(function* () {
    const changed = (change: (bytes: Buffer) => Uint8Array) => (path: string) =>
      writeFileSync(path, change(readFileSync(path)))
    const flipped = (at: (bytes: Buffer) => number) =>
      changed((bytes) => {
        bytes[at(bytes)]! ^= 4
        return bytes
      })
    const not = /is not used: .*Rows are read instead/
    refused(yield* after(flipped(() => 40)), not)
    refused(
      yield* after(
        flipped(() => 40),
        { isEarly: true }
      ),
      not
    )
    refused(yield* after(flipped(({ length }) => length >> 1)), not)
    refused(yield* after(flipped(({ length }) => length - 1)), not)
    refused(yield* after(changed((bytes) => bytes.subarray(0, bytes.length >> 1))), not)
    refused(yield* after(changed((bytes) => Buffer.concat([bytes, bytes]))), not)
    refused(yield* after(changed(() => Buffer.alloc(0))), not)
    refused(yield* after(changed(() => Buffer.alloc(100_000, "snippet"))), not)
  })
)

it.live("a disk that fails beyond the beginning is said in one line, and ends nothing else", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      const same = snippet("home", "same", median)
      const many = Array.from({ length: 10_000 }, (_, at) => ({ ...same, id: `home-${at}` }))
      yield* opened(keptIn(directory), ({ apply }) => apply({ ...put, put: many }, upTo))
      assert.isAbove(statSync(fileIn(directory)).size, 2 * 1024 * 1024)
      const { open } = fs
      // the second read comes to nothing while the first one's bytes are taken in
      vi.spyOn(fs, "open").mockImplementation(async (path, ...how) => {
        const file = await open(path, ...how)
        const read = file.read.bind(file) as (...all: ReadonlyArray<unknown>) => Promise<unknown>
        const failing = (...all: ReadonlyArray<unknown>) =>
          Number(all[3]) > 0 ? Promise.reject(Object.assign(new Error("a bad sector"), { code: "EIO" })) : read(...all)
        return Object.assign(file, { read: failing })
      })
      const looked = opened(keptIn(directory, { least: 100_000 }), ({ stand, size }) => Effect.all([stand, size!]))
      const { value, lines } = yield* saying(looked)
      assert.deepStrictEqual(value, [{ build: undefined, position: 0 }, 0])
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!, /can't be read \(EIO\)\. Rows are read instead/)
    })
  )
)

it.live(
  "another installation's, one by other rules, and one that has come to what the log has not, are not taken",
  () =>
    Effect.gen(function* () {
      const nothing = () => undefined
      refused(yield* after(nothing, { secret: "another" }), /another installation/)
      refused(yield* after(nothing, { secret: "another", isEarly: true }), /another installation/)
      refused(yield* after(nothing, { rules: "snippets_v11" }), /another release made its snapshot/)
      // the log was brought back to an earlier point, and perhaps has gone on from there
      refused(yield* after(nothing, { eventAt: () => undefined }), /place 5 of a log that this one is not/)
      refused(yield* after(nothing, { eventAt: (position) => `other ${position}` }), /place 5 of a log/)
    })
)

it.live("what somebody left who was killed while writing goes, and what was there before is taken", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      yield* opened(keptIn(directory), ({ apply }) => apply(put, upTo))
      const { pid: gone } = spawnSync(process.execPath, ["--version"])
      const named = (by: string) => `snippets.index.${by}.unfinished`
      const another = named(`${process.ppid}.0a1b`)
      const old = named(`${process.ppid}.1b2c`)
      for (const name of ["0123", `${gone}.0a1b`, `${process.pid}.0a1b`].map(named).concat(old, another))
        writeFileSync(join(directory, name), whole.subarray(0, 1_000))
      // its writer's number has gone to another process
      utimesSync(join(directory, old), 1, 1)
      assert.deepStrictEqual(yield* opened(keptIn(directory), ({ stand }) => stand), upTo)
      // a process that shares the folder writes on
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["snippets.index", another])
    })
  )
)

it.live("a folder that can't be written is said once, and all else goes on", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = join(yield* folder, "file")
      writeFileSync(directory, "")
      const { value, lines } = yield* saying(
        opened(keptIn(directory, { pauses: { due: 1, between: 1 } }), ({ apply, size }) =>
          Effect.gen(function* () {
            yield* apply(put, upTo)
            // it is tried again and again meanwhile
            yield* Effect.sleep("50 millis")
            yield* apply({ put: [], voted: [], removed: [snippets[0]!.id] }, { build: 1, position: 6 })
            yield* apply({ put: [], voted: [], removed: [snippets[1]!.id] }, { build: 1, position: 7 })
            return yield* size!
          })
        )
      )
      assert.strictEqual(value, 1)
      assert.lengthOf(lines, 3)
      for (const [at, what] of ["read", "written", "removed"].entries())
        assert.match(lines[at]!, new RegExp(`can't be ${what} \\(E[A-Z]+\\)`))
    })
  )
)
