import fs from "node:fs"
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { BackupFault } from "#ports/Backup.ts"
import { counted } from "#src/counted.ts"
import { folderArgument, keysOf, placeOf, verifyFlag } from "../backup/folder.ts"
import { looked, verify } from "../backup/verify.ts"
import { answer, plain } from "../output.ts"
import { service } from "./asking.ts"

const onDisk = <A>(place: string, use: () => A) =>
  Effect.try({
    try: use,
    catch: (error) => new BackupFault({ message: `${place} can't be written: ${(error as Error).message}` })
  })

/** Downloads a backup, beside its place until it is whole and checked. */
const download = Effect.fnUntraced(function* (place: string) {
  if (fs.existsSync(place)) {
    return yield* new BackupFault({
      message: `${plain(place)} is there already. CAIRN_URL names a service, whose backup is one file: name a new one.`
    })
  }
  const { recipients } = yield* keysOf
  const began = Date.now()
  const ask = yield* service()
  const unfinished = `${place}.unfinished`
  const fd = yield* Effect.acquireRelease(
    onDisk(place, () => {
      fs.rmSync(unfinished, { force: true })
      return fs.openSync(unfinished, "wx", 0o600)
    }),
    (fd) =>
      Effect.sync(() => {
        fs.closeSync(fd)
        fs.rmSync(unfinished, { force: true })
      })
  )
  const recipient = recipients.length === 0 ? undefined : recipients.join(",")
  yield* ask.taken(
    (cairn, options) => cairn.system.backup({ recipient }, options),
    (piece) => {
      try {
        for (let at = 0; at < piece.length; ) at += fs.writeSync(fd, piece, at)
      } catch (error) {
        throw new BackupFault({ message: `${place} can't be written: ${(error as Error).message}` })
      }
    }
  )
  yield* onDisk(place, () => fs.fsyncSync(fd))
  const { chain, damaged } = yield* looked(unfinished)
  if (damaged.length > 0) return yield* new BackupFault({ message: `what came is damaged: ${plain(damaged[0]!)}` })
  const bytes = fs.fstatSync(fd).size
  yield* onDisk(place, () => fs.renameSync(unfinished, place))
  const { log, files } = chain.manifests.at(-1)!
  const repositories = chain.repositories.size
  const encrypted = files.some(({ name }) => name.endsWith(".age"))
  const seconds = (Date.now() - began) / 1000
  yield* answer(
    {
      success: true,
      events: log.events,
      position: log.to,
      repositories,
      files: files.length,
      bytes,
      encrypted,
      seconds
    },
    () => [
      `The backup is whole: ${counted(log.events, "event")} and ${repositories} ${repositories === 1 ? "repository" : "repositories"}, ${counted(bytes, "byte")} in ${seconds.toFixed(1)} s.`,
      ...(encrypted ? [] : ["It is not encrypted: it has all texts, and the keys' digests."])
    ]
  )
}, Effect.scoped)

export const command = Command.make("backup", { file: folderArgument, verify: verifyFlag }, ({ file, verify: looks }) =>
  Effect.flatMap(placeOf(file), (place) => (Option.getOrElse(looks, () => false) ? verify(place) : download(place)))
).pipe(
  Command.withDescription(
    "Back up the service at CAIRN_URL into a file for `cairn restore`; needs a key of an owner of the operator's organization"
  )
)
