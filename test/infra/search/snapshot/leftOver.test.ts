import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { IndexChanges } from "#ports/SnippetIndex.ts"
import { fileIn, folder, type KeptBy, keptIn, opened, saying } from "./kept.ts"
import { snippets } from "./several.ts"

const changes = (some: Partial<IndexChanges>): IndexChanges => ({ put: [], voted: [], removed: [], ...some })

/** A folder with a snapshot of ten snippets. */
const filled = Effect.gen(function* () {
  const directory = yield* folder
  yield* opened(keptIn(directory), ({ apply }) => apply(changes({ put: snippets(10) }), { build: 1, position: 5 }))
  return { directory, path: fileIn(directory) }
})

/** In the file's place a folder with something in it, which can't be removed as a file is; gives what puts it back. */
const blocked = (path: string) => {
  renameSync(path, `${path}.aside`)
  mkdirSync(join(path, "in"), { recursive: true })
  return () => {
    rmSync(path, { recursive: true })
    renameSync(`${path}.aside`, path)
  }
}

const seldom: KeptBy = { least: 1_000, pauses: { due: 60_000, between: 60_000 } }

it.live("one that nobody could vouch for goes with the first removal, as does one that could not be read", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* filled
    let asked = 0
    const eventAt = (position: bigint) => {
      if (asked++ === 0) throw new Error("the database is away")
      return `event ${position}`
    }
    const { lines } = yield* saying(
      opened(keptIn(directory, { ...seldom, eventAt }), ({ stand, apply }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* stand, { build: undefined, position: 0 })
          assert.isTrue(existsSync(path))
          yield* apply(changes({ removed: ["3"] }), { build: 1, position: 6 })
          assert.isFalse(existsSync(path))
        })
      )
    )
    assert.deepStrictEqual(lines, ["the snapshot of the snippet index can't be read (Error). Rows are read instead"])

    writeFileSync(path, "")
    const put = blocked(path)
    const unread = opened(keptIn(directory, seldom), ({ stand, apply }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* stand, { build: undefined, position: 0 })
        put()
        yield* apply(changes({ removed: ["3"] }), { build: 1, position: 6 })
        assert.isFalse(existsSync(path))
      })
    )
    assert.match((yield* saying(unread)).lines.join(), /^[^,]*can't be read \(EISDIR\)[^,]*$/)
  }).pipe(Effect.scoped)
)

it.live("one that could not be removed is removed without another change, or when the service ends", () =>
  Effect.gen(function* () {
    for (const isSoon of [true, false]) {
      const { directory, path } = yield* filled
      const pauses = isSoon ? { due: 1, between: 1 } : { due: 60_000, between: 60_000 }
      const kept = opened(keptIn(directory, { least: 1_000, pauses }), ({ stand, apply }) =>
        Effect.gen(function* () {
          yield* stand
          const put = blocked(path)
          yield* apply(changes({ removed: ["3"] }), { build: 1, position: 6 })
          put()
          while (isSoon && existsSync(path)) yield* Effect.sleep(1)
        })
      )
      const { lines } = yield* saying(kept)
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!, /has what was deleted, and can't be removed \(E[A-Z]+\)/)
      assert.isFalse(existsSync(path))
    }
  }).pipe(Effect.scoped)
)

it.live("one that is refused, and could not be removed then, is removed later", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* filled
    let put = () => {}
    const eventAt = () => {
      put = blocked(path)
      return undefined
    }
    const { lines } = yield* saying(
      opened(keptIn(directory, { ...seldom, eventAt }), ({ stand }) =>
        Effect.andThen(
          stand,
          Effect.sync(() => put())
        )
      )
    )
    assert.lengthOf(lines, 2)
    assert.isFalse(existsSync(path))
  }).pipe(Effect.scoped)
)
