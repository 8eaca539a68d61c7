import "#src/process/effectAlone.ts"
import { Effect } from "effect"
import { collectGarbage } from "./collectGarbage.ts"

const steps = 20_000
const held = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** Prints how many bytes a fiber holds more after each of its steps, as the service loads Effect. */
await Effect.runPromise(
  Effect.gen(function* () {
    // what is made once is made
    for (let n = 0; n < 2_000; n++) yield* Effect.yieldNow
    const before = held()
    for (let n = 0; n < steps; n++) yield* Effect.yieldNow
    console.log((held() - before) / steps)
  })
)
