import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Logger, Option, References } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { oneLine } from "#domain/oneLine.ts"
import { lineOf } from "./failure.ts"
import { Json, note, OutputClosed } from "./output.ts"
import { Surroundings } from "./surroundings.ts"

/** Each verb's file is loaded when it is asked for: most of what it stands on takes longer to load than to run. */
const verbs = {
  org: () => import("./org.ts"),
  key: () => import("./key.ts"),
  user: () => import("./user.ts"),
  bounds: () => import("./bounds.ts"),
  usage: () => import("./usage.ts"),
  import: () => import("./import.ts"),
  export: () => import("./export.ts"),
  copy: () => import("./copy.ts"),
  backup: () => import("./backup.ts"),
  restore: () => import("./restore.ts"),
  psql: () => import("./psql.ts"),
  replay: () => import("./replay.ts"),
  verify: () => import("./verify.ts"),
  events: () => import("./events.ts"),
  workspace: () => import("./workspace.ts"),
  installation: () => import("./installation.ts")
}

/** Help goes to stdout when it was asked for; what is wrong is one line on stderr. */
const presenter = CliOutput.layerPresenter({
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const said = event.errors.map(({ message }) => oneLine(message)).join("; ")
    return note(`cairn: ${said} (see \`${[...event.commandPath, "--help"].join(" ")}\`)`)
  }
})

/** Runs `cairn …`. What goes wrong has been told when it fails: one line for the operator. */
export const cairn = (args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const asked = args.find((arg) => !arg.startsWith("-")) ?? ""
    const needed = Object.hasOwn(verbs, asked) ? [verbs[asked as keyof typeof verbs]] : Object.values(verbs)
    const modules = yield* Effect.promise(() => Promise.all(needed.map((load) => load())))
    const command = Command.make("cairn").pipe(
      Command.withDescription(
        "The command line of a Cairn: works on the data folder, with a running service or without"
      ),
      Command.withSubcommands(modules.map(({ command }) => command)),
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
    Effect.provide([NodeServices.layer, presenter, Logger.layer([Logger.withConsoleError(Logger.formatSimple)])]),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
