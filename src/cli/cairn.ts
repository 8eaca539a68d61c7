import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Logger, Option, References } from "effect"
import { CliError, Command } from "effect/cli"
import { lineOf } from "./failure.ts"
import { Json, note, OutputClosed } from "./output.ts"
import { presenter } from "./presenter.ts"
import { namesService, Surroundings } from "./surroundings.ts"
import { loaded } from "./verbs.ts"

/** Runs `cairn …`. When it fails, one line has told the operator what went wrong. */
export const cairn = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const commands = yield* loaded(args, namesService(yield* Surroundings))
    const command = Command.make("cairn").pipe(
      Command.withDescription(
        "Cairn's command line: works on the data folder, with or without a running service, or asks the service at CAIRN_URL"
      ),
      Command.withSubcommands(commands),
      Command.withGlobalFlags([Json])
    )
    yield* Command.runWith(command, { version: "0.1.0" })(args)
  }).pipe(
    Effect.tapCause((cause) =>
      Effect.gen(function* () {
        const error = Option.getOrUndefined(Cause.findErrorOption(cause))
        const told = CliError.isCliError(error) || error instanceof OutputClosed || Cause.hasInterruptsOnly(cause)
        if (!told) yield* note(`cairn: ${lineOf(cause, yield* Surroundings)}`)
      })
    ),
    Effect.provide([NodeServices.layer, presenter(args), Logger.layer([Logger.withConsoleError(Logger.formatSimple)])]),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
