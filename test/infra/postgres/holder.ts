// A process of its own that holds a data folder, for tests to kill. Prints one line of JSON when Postgres
// answers, or why there is none on stderr. The second argument is what `launch` calls `orphaned`.
import { Effect } from "effect"
import { launch } from "#infra/postgres/launcher/launcher.ts"

const held = Effect.gen(function* () {
  const orphaned = process.argv[3]
  const seconds = orphaned === undefined ? {} : { orphaned: Number(orphaned) }
  const { port, adopted } = yield* launch({ dataDir: process.argv[2]!, ...seconds })
  process.stdout.write(`${JSON.stringify({ port, adopted })}\n`)
  return yield* Effect.never
})

Effect.runFork(
  Effect.scoped(Effect.tapError(held, ({ message }) => Effect.sync(() => process.stderr.write(`${message}\n`))))
)
// Effect.never alone does not keep a process alive.
setInterval(() => {}, 60_000)
