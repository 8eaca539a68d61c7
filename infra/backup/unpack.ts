import { createHash } from "node:crypto"
import fs from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import { BackupFault, BackupFolder, type StoredFile } from "#ports/Backup.ts"
import { faultOf } from "./files.ts"

/** The names that an archive's files may have: no other name leads to a file. */
const known =
  /^(?:cairn-backup\.json|backups\/\d{6,12}\.json|(?:log\/\d{6,12}-\d{6,12}|beside\/\d{6,12}|erasures\/\d{6,12})\.ndjson\.gz(?:\.age)?|repositories\/[\w-]{1,100}(?:\.[\w-]{1,100})?\/\d{6,12}(?:-\d{6,12})?\.(?:pack|idx)(?:\.age)?)$/
const isManifest = (name: string): boolean => name.startsWith("backups/")

type Bytes = AsyncIterable<Uint8Array>

/** Gives each file to `each`, which reads all of it. Fails when this is no archive of a backup, or is cut off. */
const walk = (
  archive: Bytes,
  place: string,
  each: (name: string, body: Stream.Stream<Uint8Array, Tar.TarError | BackupFault>) => Effect.Effect<void, Error>
) =>
  Effect.gen(function* () {
    const seen = new Set<string>()
    let last = ""
    const entries = Stream.pipeThroughChannel(
      Stream.fromAsyncIterable(archive, (error) => faultOf(place, error)),
      Tar.decode<BackupFault>()
    )
    yield* Stream.runForEach(entries, ({ header: { type, path }, body }) =>
      Effect.gen(function* () {
        if (type !== "File" || !known.test(path)) {
          return yield* new BackupFault({ message: `${place} is no backup: it has what none has.` })
        }
        if (seen.has(path)) return yield* new BackupFault({ message: `${place} is no backup: it has ${path} twice.` })
        seen.add(path)
        last = path
        yield* each(path, body)
      })
    )
    if (seen.size === 0) return yield* new BackupFault({ message: `${place} is no backup: there is nothing in it.` })
    if (!isManifest(last)) {
      return yield* new BackupFault({ message: `${place} is cut off: its last file, the manifest, is not there.` })
    }
  }).pipe(
    Effect.mapError((error) => {
      if (error instanceof BackupFault) return error
      if (!Tar.isTarError(error)) return faultOf(place, error)
      return new BackupFault({
        message:
          error.kind === "Truncated" ? `${place} is cut off.` : `${place} is no backup: it is no tar, or a broken one.`
      })
    })
  )

/**
 * Puts an archive's files into a folder that has none of them. `rename` gives a file's name there; `undefined`: it is
 * left out. Fails when this is no archive, is cut off, or the disk fails.
 */
export const unpack = (
  archive: Bytes,
  place: string,
  directory: string,
  rename: (name: string) => string | undefined = (name) => name
): Effect.Effect<void, BackupFault> =>
  walk(archive, place, (name, body) => {
    const to = rename(name)
    if (to === undefined) return Stream.runDrain(body)
    return Effect.acquireUseRelease(
      Effect.try({
        try: () => {
          const path = join(directory, to)
          fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
          return fs.openSync(path, "wx", 0o600)
        },
        catch: (error) => faultOf(directory, error)
      }),
      (fd) =>
        Stream.runForEach(body, (piece) =>
          Effect.try({
            try: () => {
              for (let at = 0; at < piece.length; ) at += fs.writeSync(fd, piece, at)
            },
            catch: (error) => faultOf(directory, error)
          })
        ),
      (fd) => Effect.sync(() => fs.closeSync(fd))
    )
  })

/** Bytes of all manifests together, which are kept for `text`. */
const mostText = 256 * 1024 * 1024

/** An archive as a folder that can be checked, but not restored: of its files, only digests are kept. */
export const archiveLayer = (archive: Bytes, place: string) =>
  Layer.effect(
    BackupFolder,
    Effect.gen(function* () {
      const found = new Map<string, { readonly bytes: number; readonly sha256: string }>()
      const texts = new Map<string, string>()
      let kept = 0
      yield* walk(archive, place, (name, body) =>
        Effect.gen(function* () {
          const digest = createHash("sha256")
          const pieces: Array<Uint8Array> = []
          let bytes = 0
          yield* Stream.runForEach(body, (piece) =>
            Effect.suspend(() => {
              digest.update(piece)
              bytes += piece.length
              if (!name.endsWith(".json")) return Effect.void
              kept += piece.length
              pieces.push(piece)
              return kept > mostText
                ? Effect.fail(new BackupFault({ message: `${place} has a larger manifest than a backup has.` }))
                : Effect.void
            })
          )
          found.set(name, { bytes, sha256: digest.digest("hex") })
          if (name.endsWith(".json")) texts.set(name, Buffer.concat(pieces).toString("utf8"))
        })
      )
      const unread = new BackupFault({ message: `${place} is an archive: it is unpacked before it is read.` })
      const check = (file: StoredFile) => {
        const there = found.get(file.name)
        if (there === undefined) return "is missing"
        if (there.bytes !== file.bytes) return `has ${there.bytes} bytes, and had ${file.bytes}`
        return there.sha256 === file.sha256 ? undefined : "has other bytes than were written"
      }
      return BackupFolder.of({
        directory: place,
        list: (folder) => Effect.sync(() => [...found.keys()].filter((name) => name.startsWith(`${folder}/`)).sort()),
        text: (name) => Effect.sync(() => texts.get(name)),
        check: (file) => Effect.sync(() => check(file)),
        glance: (file) => Effect.sync(() => check(file)),
        read: async function* () {
          throw unread
        },
        remove: () => Effect.fail(unread)
      })
    })
  )
