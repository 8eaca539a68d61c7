import { Effect } from "effect"
import { layer } from "#infra/sandbox/bubblewrap/layer.ts"
import { emptyOverlay } from "#test/overlay.ts"
import { setUp } from "./attacks.ts"

/** Runs a command that never ends, in a process that is there to be killed. */
const program = Effect.gen(function* () {
  const shell = yield* setUp(yield* emptyOverlay())
  yield* shell.exec(process.argv[2]!, { timeout: 1_000_000 })
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
