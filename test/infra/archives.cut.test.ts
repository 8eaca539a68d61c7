import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Zip from "effect/encoding/Zip"
import * as ReadArchives from "#infra/archives/layer.ts"
import { Archives } from "#ports/Archives.ts"

/** A zip of one file. */
const zip = (path: string) =>
  Stream.make(Zip.file(path, "a")).pipe(
    Stream.pipeThroughChannel(Zip.encode()),
    Stream.runCollect,
    Effect.map((chunks) => Buffer.concat([...chunks]).toString("latin1"))
  )

it.effect("what is told of an archive that can't be read has no half of a character where it is cut", () =>
  Effect.gen(function* () {
    const { entries } = yield* Archives
    for (const first of ["plain", "plain a"]) {
      const archive = yield* zip(`${first}${"😀".repeat(200)}`)
      // a name that the library refuses, and quotes
      const bytes = Buffer.from(archive.replaceAll("plain", "\\lain"), "latin1")
      const { message } = yield* Effect.flip(Stream.runDrain(entries(bytes, { bytes: 1_000, entries: 10 })))
      assert.include(message, "\\lain")
      assert.isTrue(message.isWellFormed())
    }
  }).pipe(Effect.provide(ReadArchives.layer))
)
