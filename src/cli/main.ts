import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Logger, Option, References } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { oneLine } from "#domain/oneLine.ts"
import { lineOf } from "./failure.ts"
import { Json, OutputClosed } from "./output.ts"

/** Each verb's file is loaded when it is asked for: most of what it stands on takes longer to load than to run. */
const verbs = {
  org: () => import("./org.ts"),
  key: () => import("./key.ts"),
  user: () => import("./user.ts"),
  import: () => import("./import.ts"),
  export: () => import("./export.ts"),
  replay: () => import("./replay.ts"),
  verify: () => import("./verify.ts"),
  events: () => import("./events.ts"),
  workspace: () => import("./workspace.ts"),
  installation: () => import("./installation.ts")
}

const args = process.argv.slice(2)
const asked = args.find((arg) => !arg.startsWith("-")) ?? ""
const needed = Object.hasOwn(verbs, asked) ? [verbs[asked as keyof typeof verbs]] : Object.values(verbs)

/** Help goes to stdout when it was asked for; what is wrong is one line on stderr. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Effect.sync(() => {
          const said = event.errors.map(({ message }) => oneLine(message)).join("; ")
          process.stderr.write(`cairn: ${said} (see \`${[...event.commandPath, "--help"].join(" ")}\`)\n`)
        })
      : CliOutput.defaultPresenter.present(event)
})

const program = Effect.gen(function* () {
  const modules = yield* Effect.promise(() => Promise.all(needed.map((load) => load())))
  const cairn = Command.make("cairn").pipe(
    Command.withDescription("The command line of a Cairn: works on the data folder, with a running service or without"),
    Command.withSubcommands(modules.map(({ command }) => command)),
    Command.withGlobalFlags([Json])
  )
  yield* Command.runWith(cairn, { version: "0.1.0" })(args)
})

/** One line for the operator; the exit code says the rest. */
const explained = program.pipe(
  Effect.tapCause((cause) =>
    Effect.sync(() => {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      const told = CliError.isCliError(error) || error instanceof OutputClosed || Cause.hasInterruptsOnly(cause)
      if (!told) process.stderr.write(`cairn: ${lineOf(cause)}\n`)
    })
  ),
  Effect.provide([NodeServices.layer, presenter, Logger.layer([Logger.withConsoleError(Logger.formatSimple)])]),
  Effect.provideService(References.MinimumLogLevel, "Error")
)

// a reader that has gone is told by write's answer; without a listener it would end the process with a stack trace
process.stdout.on("error", () => {})
NodeRuntime.runMain(explained, { disableErrorReporting: true })
