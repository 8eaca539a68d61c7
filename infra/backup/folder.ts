import { createHash } from "node:crypto"
import fs from "node:fs"
import { resolve } from "node:path"
import zlib from "node:zlib"
import { Effect, Layer } from "effect"
import { BackupFault, BackupFolder, BackupTarget, type StoredFile } from "#ports/Backup.ts"
import { makeFolder } from "#ports/makeFolder.ts"
import { isMissing } from "../systemErrors.ts"
import { decrypting, encrypting, type Turning, through } from "./cipher.ts"
import { begin, onDisk, put, stored } from "./files.ts"

/** The path of a file in the folder. Throws on a name that leads out of it, which only a damaged manifest has. */
const pathOf = (directory: string, name: string): string => {
  if (/^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[\w./-]{1,300}$/.test(name)) return `${directory}/${name}`
  throw new BackupFault({ message: `${directory} has a file in its list that can't be one of a backup.` })
}

/** Bytes of a manifest: some 500,000 files of a backup. Longer ones were not written here. */
const longestText = 256 * 1024 * 1024

/** How many bytes a plain file has; throws on any other: a pipe would never end. `undefined`: it is not there. */
const sizeOf = (path: string): number | undefined => {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile()) throw new BackupFault({ message: `${path} is no file.` })
  return found.size
}

const textOf = (path: string): string | undefined => {
  const size = sizeOf(path)
  if (size === undefined) return undefined
  if (size > longestText) throw new BackupFault({ message: `${path} is larger than one that a backup has.` })
  return fs.readFileSync(path, "utf8")
}

const glance = (directory: string, { name, bytes }: StoredFile): string | undefined => {
  const size = sizeOf(pathOf(directory, name))
  if (size === undefined) return "is missing"
  return size === bytes ? undefined : `has ${size} bytes, and had ${bytes}`
}

const check = async (directory: string, file: StoredFile): Promise<string | undefined> => {
  const { name, sha256 } = file
  const seen = glance(directory, file)
  if (seen !== undefined) return seen
  const path = pathOf(directory, name)
  const digest = createHash("sha256")
  for await (const piece of fs.createReadStream(path, { highWaterMark: 1024 * 1024 })) digest.update(piece as Buffer)
  return digest.digest("hex") === sha256 ? undefined : "has other bytes than were written"
}

const noIdentity = new BackupFault({
  message: "the backup is encrypted: give its identity (CAIRN_BACKUP_IDENTITY or CAIRN_BACKUP_IDENTITY_FILE)."
})

/** A file's bytes. It is opened when the first are asked for: a file that nobody reads must not fail. */
async function* fileAt(path: string): AsyncGenerator<Uint8Array> {
  yield* fs.createReadStream(path) as AsyncIterable<Uint8Array>
}

async function* reading(directory: string, name: string, decrypt: Turning | undefined): AsyncGenerator<Uint8Array> {
  let pieces: AsyncIterable<Uint8Array> = fileAt(pathOf(directory, name))
  let rest = name
  if (rest.endsWith(".age")) {
    if (decrypt === undefined) throw noIdentity
    pieces = decrypt(pieces)
    rest = rest.slice(0, -".age".length)
  }
  if (rest.endsWith(".gz")) pieces = through(() => zlib.createGunzip())(pieces)
  try {
    yield* pieces
  } catch (error) {
    if (error instanceof BackupFault) throw error
    throw isMissing(error)
      ? new BackupFault({ message: `${directory}/${name} is missing.` })
      : new BackupFault({ message: `${directory}/${name} is damaged: it can't be read to its end.` })
  }
}

/** Names of the files in a folder and below it, in order; of the root, only of those right in it. */
const namesIn = (directory: string, folder: string): ReadonlyArray<string> => {
  const path = folder === "" ? directory : `${directory}/${folder}`
  if (!fs.existsSync(path)) return []
  return fs
    .readdirSync(path, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (!entry.isDirectory()) return [name]
      return folder === "" ? [] : namesIn(directory, name)
    })
}

/** A folder of backups, decrypted by an identity where one is given. */
export const layer = (given: string, identity: string | undefined) =>
  Layer.effect(
    BackupFolder,
    Effect.gen(function* () {
      const directory = resolve(given)
      const decrypt = identity === undefined ? undefined : yield* decrypting(identity)
      return BackupFolder.of({
        directory,
        list: (folder) => onDisk(directory, () => namesIn(directory, folder)),
        text: (name) => onDisk(directory, () => textOf(pathOf(directory, name))),
        check: (file) => onDisk(directory, () => check(directory, file)),
        glance: (file) => onDisk(directory, () => glance(directory, file)),
        read: (name) => reading(directory, name, decrypt),
        remove: (name) => onDisk(directory, () => fs.rmSync(pathOf(directory, name), { force: true }))
      })
    })
  )

/** Writes into a folder, which it makes, encrypted for recipients where some are given. */
export const target = (given: string, recipients: ReadonlyArray<string>) =>
  Layer.effect(
    BackupTarget,
    Effect.gen(function* () {
      const directory = resolve(given)
      const encrypt = recipients.length === 0 ? undefined : yield* encrypting(recipients)
      yield* onDisk(directory, () => makeFolder(directory))
      return BackupTarget.of({
        encrypted: encrypt !== undefined,
        partBytes: 256 * 1024 * 1024,
        begin: (name, { compressed }) => begin(directory, stored(name, compressed, encrypt)),
        put: (name, text) => onDisk(directory, () => put(directory, name, text))
      })
    })
  )
