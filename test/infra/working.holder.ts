import { Console, Effect } from "effect"
import { troubled } from "./workers.ts"

/** A service with a worker that is busy for ever: prints the worker's number. */
Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const run = yield* troubled()
      yield* Console.log(yield* run("pid"))
      yield* run("spin", [], 600_000)
    })
  )
)
