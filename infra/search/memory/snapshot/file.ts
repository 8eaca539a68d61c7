import { randomBytes } from "node:crypto"
import fs, { type FileHandle } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { inSteps } from "#engine/pages.ts"
import type { Steps } from "#engine/steps.ts"
import { makeFolder } from "#ports/makeFolder.ts"
import { syncDirectory } from "../../../durableFs.ts"
import { isMissing, systemCode } from "../../../systemErrors.ts"
import { unlessGivenUp } from "../../givenUp.ts"
import type { Index } from "../Index.ts"
import type { Comparing } from "../Nearness.ts"
import { Damaged, type Frame, FrameReader, FrameWriter } from "./frames.ts"
import { type Head, headIn, Restoring } from "./image.ts"

/** Bytes that are read or written at once. */
const piece = 1024 * 1024

const unfinished = ".unfinished"

/** The disk has refused something. `code` is the system's. */
export class SnapshotFault extends Schema.TaggedError<SnapshotFault>()("SnapshotFault", { code: Schema.String }) {}

const onDisk = <A>(use: () => Promise<A>) =>
  Effect.tryPromise({
    try: use,
    catch: (error) => new SnapshotFault({ code: systemCode(error) ?? String((error as Error).name) })
  })

/** Why a snapshot is not used. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { why: Schema.String }) {}

const damaged = (error: unknown) => (error instanceof Damaged ? error.message : "it can't be read")

/** Milliseconds after which a file that does not grow any more is not being written. */
const growing = 600_000

/** Whether a file is being written by another process that shares the folder. */
const isWritten = async (path: string): Promise<boolean> => {
  const writer = Number(/\.(\d+)\.[0-9a-f]+\.unfinished$/.exec(path)?.[1] ?? process.pid)
  // a container's processes have the same numbers each time
  if (writer === process.pid) return false
  try {
    // the number may have gone to another process since
    if (Date.now() - (await fs.stat(path)).mtimeMs > growing) return false
    process.kill(writer, 0)
    return true
  } catch (error) {
    return systemCode(error) === "EPERM"
  }
}

/** Removes the files of processes that were killed while they wrote a snapshot. */
export const removeStray = (directory: string) =>
  onDisk(async () => {
    const names = await fs.readdir(directory).catch(() => [])
    for (const path of names.filter((name) => name.endsWith(unfinished)).map((name) => join(directory, name)))
      if (!(await isWritten(path))) await fs.rm(path, { force: true })
  })

/** Removes a snapshot for good, if there is one. Fails with `SnapshotFault`. */
export const remove = (path: string) =>
  onDisk(async () => {
    try {
      await fs.unlink(path)
    } catch (error) {
      if (isMissing(error)) return
      throw error
    }
    await syncDirectory(dirname(path))
  })

const writeAll = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}

/**
 * Writes a snapshot in place of the one before, which stays whole until this one is on the disk. Now and then it asks
 * `givesWay` whether to leave off. Gives whether the snapshot was written. Fails with `SnapshotFault`.
 */
export const write = (path: string, frames: Iterable<Frame>, givesWay: () => boolean) => {
  const directory = dirname(path)
  const staged = `${path}.${process.pid}.${randomBytes(8).toString("hex")}${unfinished}`
  const filled = (file: FileHandle) =>
    Effect.gen(function* () {
      const writer = new FrameWriter()
      const coming = frames[Symbol.iterator]()
      let bytes = 0
      /** The frames of one piece; fewer at the end. */
      const some = function* (): Steps<ReadonlyArray<Uint8Array>> {
        const all: Array<Uint8Array> = []
        bytes = 0
        while (bytes < piece) {
          const next = coming.next()
          if (next.done) break
          const its = writer.bytesOf(next.value)
          all.push(its)
          bytes += its.length
          yield
        }
        return all
      }
      do {
        for (const its of yield* inSteps(some())) yield* onDisk(() => writeAll(file, its))
        if (bytes >= piece && givesWay()) return false
      } while (bytes >= piece)
      const inPlace = onDisk(async () => {
        await file.sync()
        // another thread may have begun in this one's place, and been told to remove what is in this snapshot
        unlessGivenUp()
        await fs.rename(staged, path)
        await syncDirectory(directory)
      })
      // whoever interrupts this must know whether the snapshot is there
      yield* Effect.uninterruptible(inPlace)
      return true
    })
  return Effect.acquireUseRelease(
    onDisk(async () => {
      makeFolder(directory)
      return fs.open(staged, "wx", 0o600)
    }),
    filled,
    (file) =>
      Effect.promise(async () => {
        await file.close()
        await fs.rm(staged, { force: true })
      })
  )
}

/** What was read of a snapshot; only its head if it is not wanted. */
export interface Read {
  readonly head: Head
  readonly index: Index | undefined
}

/**
 * Reads a snapshot, if there is one and its head says that it is wanted. Fails with `Refused` if it is not as it was
 * written.
 */
export const read = (path: string, how: Comparing, isWanted: (head: Head) => boolean) => {
  /** The read that is under way, which must not outlive its file. */
  let coming: Promise<Uint8Array> | undefined
  const all = (file: FileHandle) =>
    Effect.gen(function* () {
      const { size } = yield* onDisk(() => file.stat())
      const reader = new FrameReader(size)
      const next = async (at: number) => {
        const bytes = new Uint8Array(Math.min(piece, size - at))
        let has = 0
        while (has < bytes.length) {
          const { bytesRead } = await file.read(bytes, has, bytes.length - has, at + has)
          if (bytesRead === 0) break
          has += bytesRead
        }
        return bytes.subarray(0, has)
      }
      let restoring: Restoring | undefined
      let other: Read | undefined
      const take = function* (bytes: Uint8Array): Steps<void> {
        for (const frame of reader.read(bytes)) {
          if (restoring !== undefined) yield* restoring.taking(frame)
          else {
            const head = headIn(frame)
            if (isWanted(head)) restoring = new Restoring(head, how)
            else {
              other = { head, index: undefined }
              return
            }
          }
          yield
        }
      }
      /** Begins a read. One that fails while nobody waits for it would end the process: whoever waits is told. */
      const begin = (at: number) => {
        coming = next(at)
        coming.catch(() => undefined)
      }
      begin(0)
      for (let at = 0; at < size; ) {
        const bytes = yield* onDisk(() => coming!)
        if (bytes.length === 0) break
        at += bytes.length
        // the next bytes are read while these are taken in
        if (at < size) begin(at)
        yield* Effect.catchDefect(inSteps(take(bytes)), (error) => new Refused({ why: damaged(error) }))
        if (other !== undefined) return other
      }
      if (restoring === undefined || !reader.isWhole || !restoring.isWhole)
        return yield* new Refused({ why: "it is cut off" })
      const found: Read = restoring
      return found
    })
  return Effect.acquireUseRelease(
    onDisk(() => fs.open(path, "r")),
    all,
    (file) =>
      Effect.promise(async () => {
        await Promise.allSettled([coming])
        await file.close()
      })
  ).pipe(
    Effect.catchIf(
      (error): error is SnapshotFault => error instanceof SnapshotFault && error.code === "ENOENT",
      () => Effect.void as Effect.Effect<undefined>
    )
  )
}
