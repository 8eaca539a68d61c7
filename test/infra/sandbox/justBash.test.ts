import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "#infra/sandbox/justBash/layer.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { emptyOverlay } from "#test/overlay.ts"
import { contract } from "./contract.ts"

contract("just-bash", layer, { writesThrough: true })

it.live("just-bash says in its own words that a program is not there", () =>
  Effect.gen(function* () {
    const shell = yield* Effect.flatMap(emptyOverlay(), (overlay) => Sandbox.use((sandbox) => sandbox.open(overlay)))
    const { exit, stderr } = yield* shell.exec("sqlite3 a.db")
    assert.strictEqual(exit, 127)
    assert.include(stderr, "sqlite3: command not found")
    assert.notMatch(stderr, /bundle|browser/)
  }).pipe(Effect.scoped, Effect.provide(layer))
)
