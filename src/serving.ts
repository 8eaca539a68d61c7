import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { Console, Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { react } from "#engine/react.ts"
import { publish, stage, syncDirectory } from "#infra/durableFs.ts"
import { Hold } from "#ports/Hold.ts"
import { makeFolder } from "#ports/makeFolder.ts"
import { operatorsOrganization } from "#projections/Keys/holders.ts"
import { bootstrap } from "#src/keys/bootstrap.ts"
import { SignInCodes } from "#src/keys/SignInCodes.ts"
import { BadConfig } from "./config/BadConfig.ts"
import type { Config } from "./config/config.ts"
import type { launched } from "./early.ts"
import { earlyIndex } from "./engines.ts"
import { signInLink } from "./http/SignIn.ts"
import * as Server from "./http/server.ts"
import { reactions, service, serviceDatabase } from "./layers.ts"
import { passesByItself } from "./reaction.ts"
import { joined } from "./repositories.ts"

/**
 * Puts the owner's key into a file, and gives the line that says where it is. A terminal shows the key, too. It is on
 * the disk before the organization is registered: a start that fails in between is tried again, and makes another.
 */
const keepKey = async (dataDir: string, key: string): Promise<string> => {
  const folder = resolve(dataDir)
  const path = join(folder, "owner.key")
  makeFolder(folder)
  publish(await stage(folder, new TextEncoder().encode(`${key}\n`), 0o600), path)
  await syncDirectory(folder)
  return process.stdout.isTTY ? `Owner's key: ${key} (also in ${path})` : `Owner's key: in ${path}`
}

/**
 * The line with a link that signs in: for a person at a terminal now, not for readers of what was printed. None if the
 * service did not make the first organization: then there is nobody to sign in as.
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
  // a backup has no key's text: after a restore, the earlier keys are used
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

/**
 * Serves until it is told to end, or loses its hold. `database`: the data folder's own, which may still be starting.
 * Fails with `BadConfig` if it can't listen, and with what its layers fail with.
 */
export const serving = (config: Config, database: Effect.Success<ReturnType<typeof launched>>) => {
  // no request is answered before the first key is there
  const http = Layer.unwrap(
    Effect.gen(function* () {
      let kept: string | undefined
      yield* bootstrap(config.ownerKey, (key) =>
        Effect.promise(async () => {
          kept = await keepKey(config.dataDir, key)
        })
      )
      yield* react(reactions, passesByItself)
      return Layer.effectDiscard(greet(config, kept)).pipe(Layer.provide(Server.serve(config)))
    })
  )
  const everything = http.pipe(
    Layer.provide(service(config)),
    Layer.provideMerge(joined(config)),
    Layer.provide(Layer.merge(serviceDatabase(config, database), earlyIndex(config)))
  )
  return Effect.scoped(Effect.flatMap(Layer.build(everything), (built) => Context.get(built, Hold).lost)).pipe(
    Effect.catchTag("ServeError", ({ cause }) => {
      const { code } = cause as NodeJS.ErrnoException
      const mend = "Set PORT to a free port, or HOST to an address of this machine."
      return Effect.fail(new BadConfig({ message: `can't listen at ${config.host}:${config.port} (${code}). ${mend}` }))
    })
  )
}
