// A process of its own that holds a data folder, for launcher.test.ts to kill. Prints one line of JSON when Postgres
// answers.
import { Effect } from "effect"
import { launch } from "#infra/postgres/launcher/launcher.ts"

const held = Effect.gen(function* () {
  const { port, adopted } = yield* launch({ dataDir: process.argv[2]! })
  process.stdout.write(`${JSON.stringify({ port, adopted })}\n`)
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(held))
// Effect.never alone does not keep a process alive.
setInterval(() => {}, 60_000)
