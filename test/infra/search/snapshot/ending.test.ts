import { existsSync, readdirSync } from "node:fs"
import { dirname } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { write } from "#infra/search/memory/snapshot/file.ts"
import { givenUp } from "../givenUp.ts"
import { fileIn, folder, keptIn, opened } from "./kept.ts"
import { snippets } from "./several.ts"

const upTo = { build: 1, position: 5 }
const isUnfinished = (name: string) => name.endsWith(".unfinished")

it.live("a service that ends waits for its snapshot no longer than is said, where the log does not answer", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    const kept = keptIn(directory, { takes: Number.POSITIVE_INFINITY, least: 0, ending: 20 })
    yield* opened(kept, ({ apply }) => apply({ put: snippets(10), voted: [], removed: [] }, upTo))
    assert.deepStrictEqual(readdirSync(directory), [])
  }).pipe(Effect.scoped)
)

/** Ends with many snippets; `isFull` is asked before, and behind each piece that was written. */
const ended = (directory: string, isFull: () => boolean, ending = 60_000) =>
  opened(keptIn(directory, { isFull, least: 0, ending, pauses: { due: 60_000, between: 60_000 } }), ({ apply }) =>
    apply({ put: snippets(8_000), voted: [], removed: [] }, upTo)
  )

it.live("a snapshot that takes too long when the service ends leaves nothing", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    const ending = 1_000
    let seen = 0
    yield* ended(
      directory,
      () => {
        if (!readdirSync(directory).some(isUnfinished)) return false
        // its time is over while it is written
        if (seen++ === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ending)
        return false
      },
      ending
    )
    assert.isAbove(seen, 0)
    assert.deepStrictEqual(readdirSync(directory), [])
  }).pipe(Effect.scoped)
)

it.live("a disk that has no room any more while it is written ends it, and nothing is left", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    let seen = 0
    yield* ended(directory, () => {
      if (!readdirSync(directory).some(isUnfinished)) return false
      seen++
      return true
    })
    assert.strictEqual(seen, 1)
    assert.deepStrictEqual(readdirSync(directory), [])
  }).pipe(Effect.scoped)
)

it.live("a thread that was given up puts nothing in the place of what another one may have removed", () =>
  Effect.gen(function* () {
    const path = fileIn(yield* folder)
    const writing = write(path, [], () => false)
    assert.strictEqual((yield* Effect.flip(givenUp(writing))).code, "GivenUp")
    assert.deepStrictEqual(readdirSync(dirname(path)), [])
    assert.isTrue(yield* writing)
    assert.isTrue(existsSync(path))
  }).pipe(Effect.scoped)
)
