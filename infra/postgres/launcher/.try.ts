import { Effect, Redacted } from "effect"
import { launch } from "./launcher.ts"
const t = Date.now()
await Effect.runPromise(Effect.scoped(Effect.gen(function*(){
  const p = yield* launch({ dataDir: process.argv[2]! })
  console.log(Date.now()-t, "ms", p.port, p.adopted)
  yield* Effect.sleep(Number(process.argv[3] ?? 0))
})))
console.log(Date.now()-t, "ms stopped")
