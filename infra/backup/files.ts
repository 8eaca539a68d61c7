import { createHash, randomBytes } from "node:crypto"
import fs from "node:fs"
import { dirname } from "node:path"
import { PassThrough } from "node:stream"
import { pipeline } from "node:stream/promises"
import zlib from "node:zlib"
import { Effect, type Scope } from "effect"
import { BackupFault, type NewFile, type StoredFile } from "#ports/Backup.ts"
import { syncDirectory } from "../durableFs.ts"
import { systemCode } from "../systemErrors.ts"
import { type Turning, through } from "./cipher.ts"

/** Prefix of an unfinished file's name. A process that is killed leaves the file, and the next backup removes it. */
export const unfinished = ".unfinished-"

const words: { readonly [code: string]: string } = {
  ENOSPC: "its disk is full",
  EDQUOT: "its disk is full",
  EROFS: "its disk is read-only",
  EACCES: "it may not be written",
  EPERM: "it may not be written",
  ENOENT: "it, or a folder that it is in, is not there",
  ENOTDIR: "it is no folder",
  EEXIST: "it is no folder"
}

/** The fault for an error of a folder of backups, on one line. */
export const faultOf = (directory: string, error: unknown): BackupFault => {
  if (error instanceof BackupFault) return error
  const code = systemCode(error)
  const why =
    code === undefined ? String((error as Error).message ?? error) : `${words[code] ?? "the disk failed"} (${code})`
  return new BackupFault({ message: `${directory} can't be used: ${why}.` })
}

/** Runs `use` in a folder of backups; fails with `BackupFault` when the disk does. */
export const onDisk = <A>(directory: string, use: () => A | Promise<A>): Effect.Effect<A, BackupFault> =>
  Effect.tryPromise({ try: async () => use(), catch: (error) => faultOf(directory, error) })

/** Makes the folders of a name, durably. */
const makeFolders = async (directory: string, name: string): Promise<void> => {
  const folders = name.split("/").slice(0, -1)
  for (const [depth] of folders.entries()) {
    const path = `${directory}/${folders.slice(0, depth + 1).join("/")}`
    if (fs.existsSync(path)) continue
    fs.mkdirSync(path, { mode: 0o700 })
    await syncDirectory(dirname(path))
  }
}

/** Puts a file that is on the disk in its place. */
const publish = async (directory: string, staged: string, name: string): Promise<void> => {
  await makeFolders(directory, name)
  fs.renameSync(staged, `${directory}/${name}`)
  await syncDirectory(dirname(`${directory}/${name}`))
}

/** Writes a short file, durably, in place of one that is there. */
export const put = async (directory: string, name: string, text: string): Promise<void> => {
  const staged = `${directory}/${unfinished}${randomBytes(8).toString("hex")}`
  try {
    fs.writeFileSync(staged, text, { flag: "wx", mode: 0o600, flush: true })
    await publish(directory, staged, name)
  } finally {
    fs.rmSync(staged, { force: true })
  }
}

/** How a file is stored: what turns its bytes, and its name, whose ending tells. */
export const stored = (name: string, compressed: boolean, encrypt: Turning | undefined) => ({
  name: `${name}${compressed ? ".gz" : ""}${encrypt === undefined ? "" : ".age"}`,
  turnings: [
    ...(compressed ? [through(() => zlib.createGzip({ level: 6 }))] : []),
    ...(encrypt === undefined ? [] : [encrypt])
  ]
})

/**
 * Begins a file beside its place. `arrived` gets it once it is whole and on the disk; by default, it is put in its
 * place. Fails when the disk does.
 */
export const begin = (
  directory: string,
  { name, turnings }: ReturnType<typeof stored>,
  arrived: (staged: string, file: StoredFile) => Effect.Effect<void, BackupFault> = (staged) =>
    onDisk(directory, () => publish(directory, staged, name))
): Effect.Effect<NewFile, BackupFault, Scope.Scope> =>
  Effect.gen(function* () {
    const staged = `${directory}/${unfinished}${randomBytes(8).toString("hex")}`
    const input = new PassThrough({ highWaterMark: 256 * 1024 })
    const sha256 = createHash("sha256")
    let bytes = 0
    const counted = async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        sha256.update(piece)
        bytes += piece.length
        yield piece
      }
    }
    const turned = turnings.reduce<AsyncIterable<Uint8Array>>((pieces, turn) => turn(pieces), input)
    let trouble: unknown
    const start = async () => {
      try {
        await pipeline(counted(turned), fs.createWriteStream(staged, { flags: "wx", mode: 0o600, flush: true }))
      } catch (error) {
        trouble = error
        // lets go of a writer that waits
        input.destroy()
      }
    }
    const writing = { written: start() }
    const settled = Effect.promise(() => writing.written)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => input.destroy()).pipe(
        Effect.andThen(settled),
        Effect.andThen(Effect.sync(() => fs.rmSync(staged, { force: true })))
      )
    )
    const failed = Effect.suspend(() =>
      trouble === undefined ? Effect.void : Effect.fail(faultOf(directory, trouble))
    )
    const write = (piece: Uint8Array) =>
      Effect.andThen(
        failed,
        Effect.callback<void, BackupFault>((resume) => {
          if (input.destroyed) return resume(failed)
          if (input.write(piece)) return resume(Effect.void)
          const done = () => {
            input.off("drain", done).off("close", done)
            resume(Effect.andThen(input.destroyed ? settled : Effect.void, failed))
          }
          input.once("drain", done).once("close", done)
        })
      )
    const finish = Effect.gen(function* () {
      input.end()
      yield* settled
      yield* failed
      const file: StoredFile = { name, bytes, sha256: sha256.digest("hex") }
      yield* arrived(staged, file)
      return file
    })
    return { write, finish }
  })
