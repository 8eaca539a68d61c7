import { Context, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import { BackupFault, BackupFolder, BackupTarget } from "#ports/Backup.ts"
import { Installation } from "#ports/Installation.ts"
import { type Chain, chainOf, markOf, seeAll } from "#src/audit/backup/chain.ts"
import { installationOf } from "#src/audit/backup/manifest.ts"
import { sweep } from "#src/audit/backup/sweep.ts"
import { take } from "#src/audit/backup/take.ts"
import { parentGone } from "#src/commandLine.ts"
import { backupFolder, backupSource, backupTarget, lockFolder } from "#src/copying.ts"
import { counted } from "#src/counted.ts"
import { folderArgument, keysOf, placeOf, verifyFlag } from "./backup/folder.ts"
import { verify } from "./backup/verify.ts"
import { Failed } from "./failure.ts"
import { config } from "./log.ts"
import { answer, Json, plain } from "./output.ts"
import { progress } from "./progress.ts"

/** The finished backups, after what an interrupted one has left is removed; `undefined`: there are none yet. */
const before = (installation: string) =>
  Effect.gen(function* () {
    const folder = yield* BackupFolder
    const mark = yield* markOf
    if (mark === undefined) {
      const others = (yield* folder.list("")).filter((name) => !name.startsWith("backup.") && !name.startsWith("."))
      // a backup that was killed as it began has left no more than an unfinished file
      if (others.length === 0) return yield* Effect.as(sweep({ manifests: [] }), undefined)
      return yield* new BackupFault({
        message: `${folder.directory} has files that are no backup (${plain(others[0]!)}): name an empty folder.`
      })
    }
    if (mark.installation !== installation) {
      return yield* new BackupFault({
        message: `${folder.directory} has the backups of another Cairn: name a folder of its own for each.`
      })
    }
    const chain = yield* chainOf(mark)
    yield* seeAll(chain)
    yield* sweep(chain)
    return chain satisfies Chain
  })

const backup = Effect.fnUntraced(function* (place: string) {
  const { recipients } = yield* keysOf
  const began = Date.now()
  // before a folder is made: where there is no Cairn, no backup is begun
  const source = yield* Layer.build(backupSource(yield* config))
  const target = yield* Layer.build(backupTarget(place, recipients))
  yield* lockFolder(place, { name: "backup", what: "folder of backups" })
  const installation = installationOf(Context.get(source, Installation).secret)
  const chain = yield* Effect.provide(before(installation), backupFolder(place, undefined))
  const encrypted = recipients.length > 0
  if (!encrypted && chain?.manifests.at(-1)?.files.some(({ name }) => name.endsWith(".age"))) {
    return yield* new BackupFault({
      message:
        "the backups there are encrypted, and no recipient is given (CAIRN_BACKUP_RECIPIENTS): give it, or begin another folder."
    })
  }
  const bar = progress(!(yield* Json))
  const made = yield* Effect.provide(
    take(chain, (at, of, events) => bar.at(at, of, `${events} events`)),
    Context.merge(source, Context.pick(BackupTarget)(target))
  )
  bar.clear()
  const bytes = made.files.reduce((sum, file) => sum + file.bytes, 0)
  const repositories = new Set(made.files.flatMap(({ repository }) => repository ?? [])).size
  const seconds = (Date.now() - began) / 1000
  const { number, log } = made
  const said = {
    success: true,
    number,
    events: log.events,
    position: log.to,
    repositories,
    files: made.files.length,
    bytes,
    encrypted,
    seconds
  }
  yield* answer(said, () => [
    `Backup ${number} is finished: ${counted(log.events, "event")} and ${repositories} ${repositories === 1 ? "repository" : "repositories"} more, ${counted(bytes, "byte")} in ${seconds.toFixed(1)} s.`,
    ...(encrypted ? [] : ["It is not encrypted: it has all texts, and the keys' digests."])
  ])
}, Effect.scoped)

export const command = Command.make(
  "backup",
  {
    folder: folderArgument,
    verify: verifyFlag
  },
  ({ folder, verify: looks }) =>
    Effect.raceFirst(
      Effect.flatMap(placeOf(folder), (place) =>
        Option.getOrElse(looks, () => false) ? verify(place) : backup(place)
      ),
      Effect.flatMap(parentGone, () => new Failed({ message: "ended, because what had started it is gone" }))
    )
).pipe(
  Command.withDescription(
    "Back up the log, its texts and the repositories into a folder while the service runs; later backups add what is new"
  )
)
