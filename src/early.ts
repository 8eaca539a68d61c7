import { Effect, Fiber, Layer, Scope } from "effect"
import { launch } from "#infra/postgres/launcher/launcher.ts"
import * as Telemetry from "#infra/telemetry/layer.ts"
import * as Lines from "#infra/telemetry/lines.ts"
import type { Config } from "./config.ts"

/** The log's lines, and what goes to an OTLP receiver. */
export const telemetry = (config: Pick<Config, "logLevel" | "telemetry">) =>
  Layer.provideMerge(Telemetry.layer(config.telemetry), Lines.layer(config.logLevel))

/**
 * Does `work`, which opens things in its scope, in the background, and gives a wait for it. When all ends in the midst
 * of it, the work ends first, and only then what it has opened is closed: the work would open it again.
 */
export const begun = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const opened = yield* Scope.fork(yield* Effect.scope)
  const fiber = yield* Effect.forkScoped(Scope.provide(work, opened), { startImmediately: true })
  return Fiber.join(fiber)
})

/**
 * Begins to start the data folder's Postgres, where no other one is named; who runs what this gives waits until it is
 * there.
 */
export const launched = (config: Pick<Config, "dataDir" | "databaseUrl">) =>
  config.databaseUrl === undefined ? begun(launch(config)) : Effect.succeed(launch(config))
