import { resolve } from "node:path"
import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { BackupFault, BackupFolder } from "#ports/Backup.ts"
import { chainOf, markOf } from "#src/audit/backup/chain.ts"
import { manifests } from "#src/audit/backup/manifest.ts"
import { withFiles } from "#src/config/secrets.ts"
import { Failed } from "../failure.ts"
import { Surroundings } from "../surroundings.ts"

/** The variables that say who can decrypt, and with what; each may be in a file. */
const variables = ["CAIRN_BACKUP_IDENTITY", "CAIRN_BACKUP_RECIPIENTS"]

export const folderArgument = Argument.String("folder").pipe(
  Argument.withDescription("The folder of backups; for a service elsewhere, and to restore, it may be a file")
)

export const verifyFlag = Flag.Boolean("verify").pipe(
  Flag.withDescription("Make no backup; check that all files of the backups are as they were written"),
  Flag.optional
)

/** The folder that was typed, relative to where the command was given. */
export const placeOf = (typed: string) =>
  Effect.map(Surroundings, ({ env }) => resolve(env["INIT_CWD"] ?? process.cwd(), typed))

/** The recipients who can decrypt a backup and the identity that decrypts it, from the environment. */
export const keysOf = Effect.gen(function* () {
  const { env } = yield* Surroundings
  const read = yield* Effect.try({
    try: () => withFiles(env, variables),
    catch: (error) => new Failed({ message: (error as Error).message })
  })
  const recipients = (read["CAIRN_BACKUP_RECIPIENTS"] ?? "").split(/[\s,]+/).filter((one) => one !== "")
  return { recipients, identity: read["CAIRN_BACKUP_IDENTITY"]?.trim() || undefined }
})

/** The finished backups of a folder, up to a number; fails if there are none. */
export const backupsIn = Effect.fnUntraced(function* (upTo?: number) {
  const { directory } = yield* BackupFolder
  const mark = yield* markOf
  const chain = mark === undefined ? undefined : yield* chainOf(mark, upTo)
  if (chain === undefined || chain.manifests.length === 0) {
    return yield* new BackupFault({ message: `${directory} has no finished backup (there is none in ${manifests}/).` })
  }
  if (upTo !== undefined && chain.manifests.length < upTo) {
    return yield* new BackupFault({
      message: `${directory} has no backup ${upTo}: the last one is ${chain.manifests.length}.`
    })
  }
  return chain
})
