import { randomBytes } from "node:crypto"
import fs from "node:fs"
import { promisify } from "node:util"
import { there } from "./systemErrors.ts"

const write = promisify(fs.write)
/** The most bytes that are written on this thread. */
const inlineBytes = 256 * 1024

/**
 * Writes bytes to the disk under a name that nobody reads, and gives its path for `publish`. A process that is killed
 * in between leaves a stray file, never a torn one. Only the sync and long writes leave this thread: the other calls
 * take microseconds, a tenth of what their asynchronous forms cost.
 */
export const stage = async (directory: string, bytes: Uint8Array, mode = 0o644): Promise<string> => {
  // git leaves files with this beginning out of its checks and prunes old ones
  const path = `${directory}/tmp_obj_${process.pid}_${randomBytes(8).toString("hex")}`
  const file = fs.openSync(path, "wx", mode)
  try {
    if (bytes.length <= inlineBytes) for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at)
    else for (let at = 0; at < bytes.length; ) at += (await write(file, bytes, at, bytes.length - at)).bytesWritten
    await new Promise<void>((resolve, reject) => fs.fsync(file, (error) => (error ? reject(error) : resolve())))
  } catch (error) {
    fs.rmSync(path, { force: true })
    throw error
  } finally {
    fs.closeSync(file)
  }
  return path
}

/** Gives a staged file its name, in place of whatever has it. Durable once its directory is synced. */
export const publish = (staged: string, path: string): void => fs.renameSync(staged, path)

/** Makes the names in a directory durable. */
export const syncDirectory = async (directory: string): Promise<void> => {
  // Windows can't open a directory; NTFS journals names itself
  if (process.platform === "win32") return
  const file = fs.openSync(directory, "r")
  try {
    await new Promise<void>((resolve, reject) => fs.fsync(file, (error) => (error ? reject(error) : resolve())))
  } finally {
    fs.closeSync(file)
  }
}

/** Replaces a file atomically and durably; `staging` is a directory of the same file system. */
export const replace = async (staging: string, directory: string, name: string, bytes: Uint8Array): Promise<void> => {
  publish(await stage(staging, bytes), `${directory}/${name}`)
  await syncDirectory(directory)
}

/** Runs a task for every item, at most `limit` at a time: the disk takes several syncs in one go. */
export const inParallel = async <A>(
  items: ReadonlyArray<A>,
  limit: number,
  task: (item: A, index: number) => Promise<void>
): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      await task(items[index]!, index)
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker))
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason
}

/** A file's text; `undefined` when there is none of that name. */
export const readText = (path: string): string | undefined => there(() => fs.readFileSync(path, "utf8"))
