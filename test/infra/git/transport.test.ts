import fs from "node:fs"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Scheduler, Stream } from "effect"
import { layer } from "#infra/git/native/transport.ts"
import { repositoryPath } from "#infra/git/repositories.ts"
import { GitTransport } from "#ports/GitTransport.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

/** A busy service: between the steps of a fiber others have their turn, in which processes begin and end. */
const busy = new Scheduler.MixedScheduler("async", (next) => {
  const timer = setTimeout(next, 5)
  return () => clearTimeout(timer)
})

it.live("all that git says arrives, and its place is left, also when it has ended before anybody reads", () =>
  Effect.gen(function* () {
    const program = `${directory}/git`
    fs.writeFileSync(program, "#!/bin/sh\necho all\n", { mode: 0o755 })
    fs.mkdirSync(repositoryPath(directory, "one"), { recursive: true })
    const transport = yield* Effect.provide(GitTransport, layer({ directory, git: { program } }))
    const { advertise } = transport.smart!
    // one tenant has two places, so that one that is not left is missed by the third
    for (let clone = 0; clone < 4; clone++) {
      const said = yield* Stream.runCollect(advertise("tenant", "one", "version=2")).pipe(
        Effect.provideService(Scheduler.Scheduler, busy),
        Effect.provideService(Scheduler.MaxOpsBeforeYield, 4),
        Effect.timeout("20 seconds")
      )
      assert.strictEqual(Buffer.concat([...said]).toString(), "all\n")
    }
  })
)
