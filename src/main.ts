import "./process/effectAlone.ts"

import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Option, Scheduler } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { parentGone } from "#infra/parent.ts"
import type { BadConfig } from "./config/BadConfig.ts"
import { readConfig } from "./config/config.ts"
import { secretsIn } from "./config/secrets.ts"
import { launched, telemetry } from "./early.ts"
import { exitCodeOf, startAgain } from "./process/exitCode.ts"
import { memoryPassed } from "./process/memory.ts"
import { FairScheduler } from "./process/scheduler.ts"
import { unusableDatabase } from "./process/unreachable.ts"

const program = Effect.gen(function* () {
  const config = yield* Effect.try({ try: () => readConfig(process.env), catch: (error) => error as BadConfig })
  // removed once read, so that no child process and no dump of the environment has them
  for (const name of secretsIn(process.env)) delete process.env[name]

  const served = Effect.gen(function* () {
    const database = yield* launched(config)
    // a start spends most of its time loading code: Postgres starts meanwhile
    const { serving } = yield* Effect.promise(() => import("./serving.ts"))
    return yield* serving(config, database)
  }).pipe(Effect.scoped, Effect.provide(telemetry(config)))
  const exhausted = Effect.tapError(memoryPassed(config.memoryLimit), () => Effect.sync(endInTime))
  return yield* Effect.raceAllFirst([served, parentGone, exhausted]).pipe(
    Effect.mapError((error) => (isSqlError(error) ? unusableDatabase(error, config.databaseUrl) : error))
  )
}).pipe(Effect.provideService(Scheduler.Scheduler, new FairScheduler()))

/** Milliseconds that work under way has left when the memory runs out. */
const patience = 15_000
const endInTime = () => setTimeout(() => process.exit(startAgain), patience).unref()

/** What the operator can mend is one line; a defect is shown whole. */
const explained = program.pipe(
  Effect.tapCause((cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    return Console.error(error instanceof Error ? `cairn: ${error.message}` : Cause.pretty(cause))
  })
)

NodeRuntime.runMain(explained, {
  disableErrorReporting: true,
  // a service that was told to stop, and did, has not failed
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? 0 : exitCodeOf(exit.cause))
})
