import { Effect, Fiber, Layer, Scope } from "effect"
import { launch } from "#infra/postgres/launcher/launcher.ts"
import * as Telemetry from "#infra/telemetry/layer.ts"
import * as Lines from "#infra/telemetry/lines.ts"
import type { Config } from "./config/config.ts"

/** The service's log lines, and what goes to an OTLP receiver. */
export const telemetry = (config: Pick<Config, "logLevel" | "telemetry">) =>
  Layer.provideMerge(Telemetry.layer(config.telemetry), Lines.layer(config.logLevel))

/**
 * Does `work`, which opens things in its scope, in the background, and gives an effect that waits for it. If the scope
 * closes meanwhile, the work ends before what it has opened is closed: otherwise it would open it again.
 */
export const begun = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const opened = yield* Scope.fork(yield* Effect.scope)
  const fiber = yield* Effect.forkScoped(Scope.provide(work, opened), { startImmediately: true })
  return Fiber.join(fiber)
})

/**
 * Begins to start the data folder's Postgres, unless another one is named. Gives an effect that waits until it has
 * started.
 */
export const launched = (config: Pick<Config, "dataDir" | "databaseUrl">) =>
  config.databaseUrl === undefined ? begun(launch(config)) : Effect.succeed(launch(config))
