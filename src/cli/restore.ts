import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { isSqlError } from "effect/sql/SqlError"
import { BackupFault } from "#ports/Backup.ts"
import { Restoring } from "#ports/LogCopy.ts"
import { damagedIn } from "#src/audit/backup/chain.ts"
import { erasedSince } from "#src/audit/backup/erasedSince.ts"
import { leftOf } from "#src/audit/backup/left.ts"
import { besideOf, sourceOf } from "#src/audit/backup/source.ts"
import { parentGone } from "#src/commandLine.ts"
import { backupFolder, besideFromBackup, copyTarget, repositoryCopy } from "#src/copying.ts"
import { counted } from "#src/counted.ts"
import { unusableDatabase } from "#src/process/unreachable.ts"
import { after } from "./backup/after.ts"
import { openedAt } from "./backup/archive.ts"
import { type Backup, fill } from "./backup/fill.ts"
import { backupsIn, folderArgument, keysOf } from "./backup/folder.ts"
import { rowsOf } from "./backup/rows.ts"
import { newFolder } from "./copy/newFolder.ts"
import { Failed, whichStore } from "./failure.ts"
import { config } from "./log.ts"
import { answer, Json, plain } from "./output.ts"
import { progress } from "./progress.ts"

/** Why a backup can't be restored into the place, on one line without its password. */
const unusable = (databaseUrl: Parameters<typeof unusableDatabase>[1]) => (error: unknown) => {
  const said = isSqlError(error)
    ? unusableDatabase(error, databaseUrl).message
    : error instanceof Error
      ? error.message
      : "the database can't be opened"
  return new Failed({ message: `It can't be restored: ${said}` })
}

const restore = Effect.fnUntraced(function* (typed: string, upTo: number | undefined, newer: Option.Option<string>) {
  const { identity } = yield* keysOf
  const to = yield* config
  yield* newFolder(to.dataDir, "restore", to.databaseUrl === undefined)
  const { place, directory } = yield* openedAt(typed, newer, to.dataDir)
  const bar = progress(!(yield* Json))
  const folder = yield* Layer.build(backupFolder(directory, identity))
  const backups = Effect.provide(
    Effect.gen(function* () {
      const chain = yield* backupsIn(upTo)
      const { damaged } = yield* damagedIn(chain, (done, of) => bar.at(done, of, "bytes looked at"))
      bar.clear()
      if (damaged.length > 0) {
        return yield* new BackupFault({
          message: `nothing was restored: ${counted(damaged.length, "file")} of ${place} not as written: ${damaged.slice(0, 5).join("; ")}.`
        })
      }
      const since = yield* erasedSince(chain)
      if (Option.isSome(newer) && since.until === undefined) {
        return yield* new BackupFault({
          message: `nothing was restored: ${newer.value} does not tell what was erased since: it is older, or of another Cairn.`
        })
      }
      const { origin, checkpoints, lines } = yield* besideOf(chain)
      const backup: Backup = { chain, since, source: yield* sourceOf(chain, since), left: leftOf(chain, since) }
      return { backup, origin, checkpoints, lines }
    }),
    folder
  )
  const { backup, origin, checkpoints, lines } = yield* backups
  const { chain, since, source } = backup
  const { secret, positions } = origin
  const beside = (copy: PgClient.PgClient) =>
    besideFromBackup({ checkpoints, rows: rowsOf(lines), left: backup.left }, copy)
  const ends = copyTarget(to, positions === null ? { secret } : { secret, positions }, source.engine, beside)
  const began = Date.now()
  const { compared, left } = yield* Effect.gen(function* () {
    const target = yield* Effect.mapError(
      Layer.build(Layer.provideMerge(repositoryCopy(to), ends)),
      unusable(to.databaseUrl)
    )
    return yield* fill(backup, to, bar).pipe(Effect.provide(target), Effect.provide(folder))
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => source.fault() ?? error),
    whichStore
  )
  bar.clear()
  const verified = yield* after(chain, left, beside, bar)
  const { workspaces, commits, found, findings } = verified
  const last = chain.manifests.at(-1)!
  const until = left?.until ?? since.until ?? last.began
  const seconds = (Date.now() - began) / 1000
  // where it only went on behind the log, nothing was compared
  const { events, texts, erased } = compared ?? verified
  const said = {
    success: found === 0,
    number: last.number,
    made: last.began,
    events,
    texts,
    erased,
    repositories: chain.repositories.size,
    erasures_known_until: until,
    log_events: verified.events,
    workspaces,
    commits,
    seconds,
    found,
    findings
  }
  yield* answer(said, () => [
    `Backup ${last.number} of ${last.began} is restored: ${counted(events, "event")}, ${counted(texts, "text")}, ${erased} erased; ${chain.repositories.size} ${chain.repositories.size === 1 ? "repository" : "repositories"}, in ${seconds.toFixed(1)} s.`,
    `What was erased is known up to ${until}: what was erased after it has come back, and is to be erased again.`,
    ...findings.slice(0, 20).map(({ position, check, message }) => `${position ?? "-"}  ${check}: ${plain(message)}`),
    ...(found === 0 ? ["All of it is as it was written, and the read models are built. Start the service."] : [])
  ])
  if (found > 0) {
    return yield* new Failed({ message: `${counted(found, "thing")} not as written: see \`cairn verify\`.` })
  }
}, Effect.scoped)

export const command = Command.make(
  "restore",
  {
    folder: folderArgument,
    backup: Flag.Int("backup").pipe(
      Flag.withMetavar("NUMBER"),
      Flag.withDescription("The number of the backup to restore (default: the last one)"),
      Flag.optional
    ),
    erasures: Flag.String("erasures").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("A newer backup file: what was erased up to then is not restored"),
      Flag.optional
    )
  },
  ({ folder, backup, erasures }) =>
    Effect.raceFirst(
      Effect.provideService(restore(folder, Option.getOrUndefined(backup), erasures), Restoring, true),
      Effect.flatMap(parentGone, () => new Failed({ message: "ended, because what had started it is gone" }))
    )
).pipe(
  Command.withDescription(
    "Restore a backup (a folder, or a file; - is stdin) into the data folder and database that the environment names, which have to be empty, and check it as verify does"
  )
)
