import { resolve } from "node:path"
import { Effect, Option } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import type { BadConfig } from "#src/config/BadConfig.ts"
import { type Config, readConfig } from "#src/config/config.ts"
import { withFiles } from "#src/config/secrets.ts"
import { unusableDatabase, withoutPasswords } from "#src/process/unreachable.ts"
import { Failed } from "../failure.ts"
import { Surroundings } from "../surroundings.ts"

/** The variables that say where the copy goes; each may be in a file. */
const variables = ["CAIRN_COPY_TO", "CAIRN_COPY_TO_PASSWORD", "CAIRN_COPY_TO_KURRENTDB"]

/** Whether an address has a password: it would be in the list of processes, and in the shell's history. */
const tellsPassword = (text: string): boolean => {
  const [authority = ""] = (text.split("://")[1] ?? "").split(/[/?#]/)
  const [, password = ""] = authority.slice(0, Math.max(0, authority.lastIndexOf("@"))).split(":")
  return password !== "" || text.includes("?password=") || text.includes("&password=")
}

const withPassword = (text: string, password: string | undefined): string => {
  if (password === undefined || !URL.canParse(text)) return text
  const url = new URL(text)
  url.password = encodeURIComponent(password)
  return url.href
}

/** A message with the names that the target's variables have here. */
const renamed = (message: string): string =>
  message
    .replaceAll("KURRENTDB_URL", "CAIRN_COPY_TO_KURRENTDB")
    .replaceAll(/DATABASE_URL|CAIRN_DATA_DIR/g, "CAIRN_COPY_TO")

/** Where a copy goes, as the command line and the environment say; fails with `Failed`. */
export const targetOf = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const around = yield* Surroundings
  const wrong = (error: unknown) => new Failed({ message: renamed((error as BadConfig).message) })
  const env = yield* Effect.try({ try: () => withFiles(around.env, variables), catch: wrong })
  const read = (name: string) => env[name]?.trim() || undefined
  const typed = Option.getOrUndefined(given)?.trim()
  if (typed !== undefined && tellsPassword(typed)) {
    return yield* new Failed({
      message:
        "--to has a password in it, which others on this machine can see. Put the URL into CAIRN_COPY_TO, or the password into CAIRN_COPY_TO_PASSWORD."
    })
  }
  const to = typed || read("CAIRN_COPY_TO")
  if (to === undefined) {
    return yield* new Failed({ message: "It is not said where to: set CAIRN_COPY_TO, or give --to." })
  }
  const kurrent = read("CAIRN_COPY_TO_KURRENTDB")
  const where = to.includes("://")
    ? { DATABASE_URL: withPassword(to, read("CAIRN_COPY_TO_PASSWORD")) }
    : { CAIRN_DATA_DIR: typed ? resolve(around.env["INIT_CWD"] ?? ".", typed) : to }
  return yield* Effect.try({
    try: () => readConfig({ ...where, KURRENTDB_URL: kurrent }),
    catch: wrong
  })
})

/** Why a target can't be used, on one line without its password. */
export const unusableTarget =
  ({ databaseUrl }: Config) =>
  (error: unknown): Failed => {
    const message = isSqlError(error)
      ? unusableDatabase(error, databaseUrl).message
      : error instanceof Error
        ? error.message
        : "it can't be opened"
    return new Failed({ message: `The copy can't be made: ${withoutPasswords(renamed(message), databaseUrl)}` })
  }
