import { readdirSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Semaphore } from "effect"
import { Index } from "#infra/search/memory/Index.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import { keeping, originHere } from "#infra/search/memory/snapshot/keeping.ts"
import { median, snippet } from "../../indexed.ts"
import { folder, logOf } from "./kept.ts"

it.live("a snapshot gives way to who waits five times, leaves nothing then, and is written all the same", () =>
  Effect.gen(function* () {
    const directory = yield* folder
    const index = new Index(128, comparing)
    // of more than one piece, behind each of which it looks whether somebody waits
    for (let n = 0; n < 8_000; n++) index.put(snippet("home", `s${n}`, median))
    /** What there is in the folder whenever it is asked whether to leave off. */
    const seen: Array<ReadonlyArray<string>> = []
    const options = { directory, rules: "rules", isFull: () => false, least: 0, pauses: { due: 1, between: 60_000 } }
    const { took } = yield* keeping(options, yield* originHere, {
      dimensions: 128,
      how: comparing,
      one: yield* Semaphore.make(1),
      standing: () => ({ index, build: 1, position: 5, refused: [] }),
      isWanted: () => {
        seen.push(readdirSync(directory))
        return true
      }
    })
    yield* took(8_000)
    const look = Effect.sync(() => readdirSync(directory).includes("snippets.index"))
    yield* Effect.repeat(look, { until: (isThere) => isThere })
    assert.lengthOf(seen, 5)
    // nothing but the one that is being written
    for (const names of seen) assert.lengthOf(names, 1)
    assert.deepStrictEqual(readdirSync(directory), ["snippets.index"])
  }).pipe(Effect.scoped, Effect.provide(logOf()))
)
