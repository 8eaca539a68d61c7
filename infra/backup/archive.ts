import fs from "node:fs"
import { Deferred, Effect, Queue, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import { ArchiveNotBegun, BackupFault, type BackupTarget, type StoredFile } from "#ports/Backup.ts"
import { encrypting } from "./cipher.ts"
import { begin, faultOf, stored } from "./files.ts"

/** Bytes of the log in one file. While a file is made, it waits on the disk and the receiver gets nothing. */
const partBytes = 32 * 1024 * 1024
/** Bytes that are read at once. */
const piece = 64 * 1024

type Queued = Tar.Entry<BackupFault>

/** A file's bytes. It is opened when the first are asked for, which may be never. */
async function* reading(path: string): AsyncGenerator<Uint8Array> {
  yield* fs.createReadStream(path, { highWaterMark: piece }) as AsyncIterable<Uint8Array>
}

const bytesOf = (directory: string, staged: string) =>
  Stream.fromAsyncIterable(reading(staged), (error) => faultOf(directory, error))

const options = (mtime: number) => ({ mode: 0o600, mtime: new Date(mtime) })

/** Puts files into the archive as they are finished, and waits until each was taken. */
const targetOn = (
  directory: string,
  queue: Queue.Enqueue<Queued>,
  encrypt: BackupTargetOptions["encrypt"]
): BackupTarget["Service"] => {
  const enter = (entry: Queued) =>
    Effect.gen(function* () {
      const taken = yield* Deferred.make<void>()
      yield* Queue.offer(queue, { ...entry, body: Stream.ensuring(entry.body, Deferred.succeed(taken, undefined)) })
      yield* Deferred.await(taken)
    })
  const arrived = (staged: string, { name, bytes }: StoredFile) =>
    enter(Tar.fileStream(name, bytes, bytesOf(directory, staged), options(Date.now())))
  return {
    encrypted: encrypt !== undefined,
    partBytes,
    begin: (name, { compressed }) => begin(directory, stored(name, compressed, encrypt), arrived),
    put: (name, text) => {
      const bytes = new TextEncoder().encode(text)
      return enter(Tar.fileStream(name, bytes.length, Stream.make(bytes), options(Date.now())))
    }
  }
}

interface BackupTargetOptions {
  readonly encrypt: Parameters<typeof stored>[2]
}

/**
 * A tar of what `make` writes, encrypted for recipients where some are given; `directory` has the file that waits to be
 * taken.
 */
export const archiveOf = Effect.fnUntraced(function* (
  directory: string,
  recipients: ReadonlyArray<string>,
  make: (target: BackupTarget["Service"]) => Effect.Effect<void, BackupFault>
) {
  const encrypt =
    recipients.length === 0
      ? undefined
      : yield* Effect.mapError(
          encrypting(recipients),
          ({ message }) => new ArchiveNotBegun({ reason: "recipient", message })
        )
  const entries = Stream.callback<Queued, BackupFault>(
    (queue) => Effect.andThen(make(targetOn(directory, queue, encrypt)), Queue.end(queue)),
    { bufferSize: 1 }
  )
  return entries.pipe(
    // each before the next one is asked for
    Stream.rechunk(1),
    Stream.pipeThroughChannel(Tar.encode<BackupFault, unknown, Queued>()),
    Stream.mapError((error) => (error instanceof BackupFault ? error : faultOf(directory, error)))
  )
})
