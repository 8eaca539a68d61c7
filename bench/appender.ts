import { createInterface } from "node:readline"
import { Effect, Redacted } from "effect"
import { emmetts, ours, rate } from "./appending.ts"

// One of several processes that append to one database (bench/processes.ts): says "ready" once it has written a little,
// and for each line that it is told (how many) appends so many by so many clients, and says how many a second it were.

const [kind, clients] = [process.argv[2], Number(process.argv[3])]
const url = Redacted.make(process.env["BENCH_DATABASE_URL"]!)

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const append = yield* kind === "emmett" ? emmetts(url) : ours(url)
      yield* Effect.promise(async () => {
        await rate(clients, clients * (kind === "emmett" ? 10 : 100), append)
        process.stdout.write("ready\n")
        for await (const told of createInterface({ input: process.stdin }))
          process.stdout.write(`${await rate(clients, Number(told), append)}\n`)
      })
    })
  )
)
process.exit(0)
