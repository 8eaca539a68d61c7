import fs from "node:fs"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "#infra/git/layer.ts"
import { TookTooLong, TooMuchWaits } from "#ports/JobFaults.ts"
import { Workers } from "#ports/Workers.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { workersHere } from "#test/workers.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

it.effect("a diff that lacks a file because no worker compared it is made anew the next time, and then kept", () => {
  const faults = [new TooMuchWaits({ job: "hunksOfBytes" }), new TookTooLong({ job: "hunksOfBytes", reason: "time" })]
  let asked = 0
  const run = (...given: Parameters<Workers["Service"]["run"]>) =>
    Effect.suspend(() => {
      const fault = faults[asked++]
      return fault === undefined ? workersHere.run(...given) : Effect.fail(fault)
    })
  return Effect.gen(function* () {
    const workspaces = yield* WorkspaceStore
    const overlay = yield* workspaces.open("whole", undefined)
    const of = (text: string) => Buffer.from(`${text}\n`.repeat(10_000))
    yield* overlay.writeFile("large.txt", of("one"))
    const before = yield* workspaces.save("whole", overlay)
    yield* overlay.writeFile("large.txt", Buffer.concat([of("one"), of("two")]))
    const after = yield* workspaces.save("whole", overlay)
    const diff = workspaces.diff("whole", before, after)
    for (const _ of faults) assert.include(yield* diff, "the diff of this file is left out")
    const whole = yield* diff
    assert.include(whole, "+two\n")
    assert.strictEqual(asked, 3)
    assert.strictEqual(yield* diff, whole)
    assert.strictEqual(asked, 3)
  }).pipe(Effect.provide(Layer.provide(layer({ directory }), Layer.succeed(Workers, { run } as never))))
})
