import "./effectAlone.ts"

import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Context, Effect, Exit, Layer, Option, type Redacted, Scheduler } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { isSqlError } from "effect/sql/SqlError"
import { react } from "#engine/react.ts"
import { parentGone } from "#infra/parent.ts"
import { LaunchFailed } from "#infra/postgres/launcher/LaunchFailed.ts"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { Hold, NotOurs } from "#ports/Hold.ts"
import { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { operatorsOrganization } from "#projections/Keys/holders.ts"
import { bootstrap, ForeignOwnerKey } from "#src/keys/bootstrap.ts"
import { SignInCodes } from "#src/keys/SignInCodes.ts"
import { BadConfig } from "./BadConfig.ts"
import { type Config, readConfig } from "./config.ts"
import { signInLink } from "./http/SignIn.ts"
import * as Server from "./http/server.ts"
import { reactions, service, serviceDatabase, telemetry } from "./layers.ts"
import { memoryPassed, TooMuchMemory } from "./memory.ts"
import { passesByItself } from "./reaction.ts"
import { joined } from "./repositories.ts"
import { FairScheduler } from "./scheduler.ts"
import { secretsIn } from "./secrets.ts"
import { unusableDatabase } from "./unreachable.ts"

/** Where the owner's key is to be found, in words. A terminal sees it once; otherwise it goes to a file. */
const keepKey = (dataDir: string, key: string): string => {
  if (process.stdout.isTTY) return `Owner's key (shown only now): ${key}`
  const path = join(resolve(dataDir), "owner.key")
  mkdirSync(resolve(dataDir), { recursive: true })
  writeFileSync(path, `${key}\n`, { mode: 0o600 })
  chmodSync(path, 0o600)
  return `Owner's key: in ${path}`
}

/**
 * A link that signs in, in words: for who looks at a terminal now, and nobody who reads later what was printed. Where
 * the service did not make the first organization there is nobody to sign in as.
 */
const signInLine = Effect.fnUntraced(function* ({ host }: Config) {
  const { address } = yield* HttpServer.HttpServer
  if (!process.stdout.isTTY || NetAddress.isUnixPathAddress(address)) return []
  if ((yield* operatorsOrganization) === undefined) return []
  const link = signInLink(host, address.port, yield* (yield* SignInCodes).issue)
  return link === undefined ? [] : [`In a browser (works once, within a minute): ${link}`]
})

const greet = Effect.fnUntraced(function* (config: Config, keptKey: string | undefined) {
  const address = yield* HttpServer.addressFormattedWith(Effect.succeed)
  const file = process.env["CAIRN_OWNER_KEY_FILE"] || join(config.dataDir, "owner.key")
  const isInFile = config.ownerKey === undefined || process.env["CAIRN_OWNER_KEY_FILE"]
  // a backup has no key's text: what was restored is asked with those that there were
  const known = existsSync(file) ? `$(cat ${file})` : "$CAIRN_API_KEY"
  const header = `Authorization: Bearer ${isInFile ? known : "$CAIRN_OWNER_KEY"}`
  const lines = [
    `Cairn is at ${address}`,
    `Docs: ${address}/docs   for agents: ${address}/skill.md`,
    ...(keptKey === undefined ? [] : [keptKey]),
    ...(yield* signInLine(config)),
    "Try it:",
    `  curl -s ${address}/api/retrieve/search -H "${header}" --json '{"task":"parse a CSV file"}'`
  ]
  yield* Console.log(lines.join("\n"))
})

const program = Effect.gen(function* () {
  const config = yield* Effect.try({ try: () => readConfig(process.env), catch: (error) => error as BadConfig })
  // once read, no child process and no dump of the environment has it
  for (const name of secretsIn(process.env)) delete process.env[name]
  const ownerKey: Redacted.Redacted | undefined = config.ownerKey

  // nobody is answered before the first key is there
  const http = Layer.unwrap(
    Effect.gen(function* () {
      let kept: string | undefined
      yield* bootstrap(ownerKey, (key) => {
        kept = keepKey(config.dataDir, key)
      })
      yield* react(reactions, passesByItself)
      return Layer.effectDiscard(greet(config, kept)).pipe(Layer.provide(Server.serve(config)))
    })
  )
  const everything = http.pipe(
    Layer.provide(service(config)),
    Layer.provideMerge(joined(config)),
    Layer.provide(serviceDatabase(config)),
    Layer.provideMerge(telemetry(config))
  )
  const launched = Effect.scoped(Effect.flatMap(Layer.build(everything), (built) => Context.get(built, Hold).lost))
  const serving = Effect.catchTag(launched, "ServeError", ({ cause }) => {
    const { code } = cause as NodeJS.ErrnoException
    const mend = "Set PORT to a free port, or HOST to an address of this machine."
    return Effect.fail(new BadConfig({ message: `can't listen at ${config.host}:${config.port} (${code}). ${mend}` }))
  })
  const exhausted = Effect.tapError(memoryPassed(config.memoryLimit), () => Effect.sync(endInTime))
  return yield* Effect.raceAllFirst([serving, parentGone, exhausted]).pipe(
    Effect.mapError((error) => (isSqlError(error) ? unusableDatabase(error, config.databaseUrl) : error))
  )
}).pipe(Effect.provideService(Scheduler.Scheduler, new FairScheduler()))

/** Milliseconds for what is under way when the memory is at its end. */
const patience = 15_000
const endInTime = () => setTimeout(() => process.exit(startAgain), patience).unref()

/** Exit codes that `start.cjs` knows: starting again helps, or does not before the operator has mended something. */
const startAgain = 75
const operators = 78
const crashed = 1

const codeOf = (cause: Cause.Cause<unknown>): number => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return Cause.hasInterruptsOnly(cause) ? 0 : crashed
  if (error instanceof TooMuchMemory || error instanceof WorkspacesUnavailable) return startAgain
  if (error instanceof EngineUnusable) return error.passes ? startAgain : operators
  const mended = [BadConfig, NotOurs, ForeignOwnerKey, LaunchFailed].some((kind) => error instanceof kind)
  return mended && (error as Partial<LaunchFailed>).reason !== "failed" ? operators : crashed
}

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
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? 0 : codeOf(exit.cause))
})
