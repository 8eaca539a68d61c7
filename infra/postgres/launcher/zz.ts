import { Effect } from "effect"
export const x = Effect.gen(function* () {
  Effect.log("floating")
  yield* Effect.void
})
