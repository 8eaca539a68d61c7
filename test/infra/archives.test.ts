import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import * as Zip from "effect/encoding/Zip"
import * as ReadArchives from "#infra/archives/layer.ts"
import { type ArchiveBounds, Archives } from "#ports/Archives.ts"

const encoded = <E>(chunks: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(chunks), (all) => Buffer.concat([...all]))
const zip = (...entries: ReadonlyArray<Zip.ContentEntry>) =>
  encoded(Stream.pipeThroughChannel(Stream.fromIterable(entries), Zip.encode()))
const tar = (...entries: ReadonlyArray<Tar.Entry>) =>
  encoded(Stream.pipeThroughChannel(Stream.fromIterable(entries), Tar.encode()))

const central = "PK\u0001\u0002"

const unpacked = (archive: Uint8Array, bounds: ArchiveBounds = { bytes: 1_000, entries: 10 }) =>
  Effect.flatMap(Archives, ({ entries }) => Stream.runCollect(entries(archive, bounds)))

/** A zip of one file that is empty, and compressed all the same, as some programs write it. */
const emptyDeflated = (() => {
  const name = Buffer.from("empty")
  const deflated = Buffer.from([3, 0])
  // how it is compressed, and its sizes; no time, no digest
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(8, 4)
  common.writeUInt32LE(deflated.length, 14)
  common.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, name, deflated])
  const listed = Buffer.concat([Buffer.from(`${central}\u0014\u0000`), common, Buffer.alloc(14), name])
  const end = Buffer.alloc(22)
  end.write("PK\u0005\u0006")
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, listed, end])
})()

it.effect("an empty file in a zip is taken, also where it was compressed", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* unpacked(emptyDeflated), [
      { path: "empty", kind: "file", bytes: new Uint8Array() }
    ] as never)
  }).pipe(Effect.provide(ReadArchives.layer))
)

it.effect("what stands where a Unix has a file's mode means nothing if none has written it", () =>
  Effect.gen(function* () {
    const archive = yield* zip(Zip.file("l", "/etc"))
    const at = archive.indexOf(central)
    archive.writeUInt32LE((0o120777 << 16) >>> 0, at + 38)
    const kinds = Effect.map(
      Effect.suspend(() => unpacked(archive)),
      (entries) => entries.map(({ kind }) => kind)
    )
    // by FAT, and by Unix
    for (const [system, kind] of [
      [0, "file"],
      [3, "symlink"]
    ] as const) {
      archive.writeUInt8(system, at + 5)
      assert.deepStrictEqual(yield* kinds, [kind])
    }
  }).pipe(Effect.provide(ReadArchives.layer))
)

it.effect("as many entries and bytes as are allowed are taken, and none more", () =>
  Effect.gen(function* () {
    const names = ["a", "b", "c"]
    const files = [
      yield* tar(...names.map((name) => Tar.file(name, "12345"))),
      yield* zip(...names.map((name) => Zip.file(name, "12345")))
    ]
    for (const archive of files) {
      assert.lengthOf(yield* unpacked(archive, { entries: 3, bytes: 15 }), 3)
      const many = yield* Effect.flip(unpacked(archive, { entries: 2, bytes: 15 }))
      assert.strictEqual(many.message, "The archive has more than 2 entries.")
      assert.include((yield* Effect.flip(unpacked(archive, { entries: 3, bytes: 14 }))).message, "MiB unpacked")
    }
  }).pipe(Effect.provide(ReadArchives.layer))
)
