import { Context, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { isSqlError } from "effect/sql/SqlError"
import { BackupFault, BackupFolder, RepositoryCopy } from "#ports/Backup.ts"
import { LogIntake } from "#ports/LogCopy.ts"
import { damagedIn } from "#src/audit/backup/chain.ts"
import { erasedSince } from "#src/audit/backup/erasedSince.ts"
import { besideOf, sourceOf, subjectOf } from "#src/audit/backup/source.ts"
import { parentGone } from "#src/commandLine.ts"
import { backupFolder, besideFromBackup, copyTarget, repositoryCopy } from "#src/copying.ts"
import { counted } from "#src/counted.ts"
import { adopt } from "#src/repositories.ts"
import { unusableDatabase } from "#src/unreachable.ts"
import { after } from "./backup/after.ts"
import { openedAt } from "./backup/archive.ts"
import { backupsIn, folderArgument, keysOf } from "./backup/folder.ts"
import { rowsOf } from "./backup/rows.ts"
import { bringAll } from "./copy/bringAll.ts"
import { finish } from "./copy/finish.ts"
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
      return { chain, since, origin, checkpoints, lines, source: yield* sourceOf(chain, since) }
    }),
    folder
  )
  const { chain, since, origin, checkpoints, lines, source } = yield* backups
  const read = Context.get(folder, BackupFolder).read
  const { secret, positions } = origin
  const ends = copyTarget(to, positions === null ? { secret } : { secret, positions }, source.engine, (copy) =>
    besideFromBackup(checkpoints, rowsOf(lines), copy)
  )
  const began = Date.now()
  const done = yield* Effect.gen(function* () {
    const target = yield* Effect.mapError(
      Layer.build(Layer.provideMerge(repositoryCopy(to), ends)),
      unusable(to.databaseUrl)
    )
    return yield* Effect.gen(function* () {
      const repositories = yield* RepositoryCopy
      const taken = (yield* repositories.names).filter((name) => name.endsWith(".git"))
      if (taken.length > 0 && (yield* (yield* LogIntake).last) === undefined) {
        return yield* new Failed({
          message: `${plain(to.dataDir)} has repositories already: name an empty data folder (CAIRN_DATA_DIR).`
        })
      }
      yield* bringAll(source, bar, (event) =>
        event.hasText && event.text === null && since.has(event.tenant, subjectOf(event)) ? [subjectOf(event)] : []
      )
      const gone = new Set(since.workspaces.map(({ workspace }) => workspace))
      let made = 0
      for (const [repository, { workspace, packs, commit }] of chain.repositories) {
        made += 1
        if (gone.has(workspace)) continue
        yield* repositories.make(
          repository,
          packs.map(({ pack, index }) => ({ pack: read(pack.name), index: read(index.name) })),
          commit
        )
        bar.at(made, chain.repositories.size, "repositories")
      }
      const finished = yield* finish(source, bar, true)
      yield* adopt(to)
      return finished
    }).pipe(Effect.provide(target))
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => source.fault() ?? error),
    whichStore
  )
  bar.clear()
  const { found, findings, ...verified } = yield* after(chain, since, bar)
  const last = chain.manifests.at(-1)!
  const until = since.until ?? last.began
  const seconds = (Date.now() - began) / 1000
  const { events, texts, erased } = done.compared
  const said = {
    success: found === 0,
    number: last.number,
    made: last.began,
    events,
    texts,
    erased,
    repositories: chain.repositories.size,
    erasures_known_until: until,
    ...verified,
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
      restore(folder, Option.getOrUndefined(backup), erasures),
      Effect.flatMap(parentGone, () => new Failed({ message: "ended, because what had started it is gone" }))
    )
).pipe(
  Command.withDescription(
    "Restore a backup (a folder, or a file; - is stdin) into the data folder and database that the environment names, which have to be empty, and check it as verify does"
  )
)
