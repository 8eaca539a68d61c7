import { createHash } from "node:crypto"
import fs from "node:fs"
import { promisify } from "node:util"
import zlib from "node:zlib"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { Breath } from "./Breath.ts"
import { inParallel, publish, stage, syncDirectory } from "./durableFs.ts"
import { inflated, inflatedStart } from "./inflated.ts"
import type { ObjectType, StoredObject } from "./object.ts"
import type { Compressed } from "./objectPieces.ts"
import { isPacked, openPacked, packedSize, readPacked } from "./packed.ts"

export interface NewObject extends StoredObject {
  readonly sha: Sha
}

const header = (type: ObjectType, size: number): Uint8Array => Buffer.from(`${type} ${size}\0`, "latin1")

export const objectName = (type: ObjectType, content: Uint8Array): Sha =>
  createHash("sha1").update(header(type, content.length)).update(content).digest("hex")

/** Bytes that are hashed on end. */
const hashedAtOnce = 1024 * 1024

/** The same name, of content that may be large. */
export const nameOfContent = async (type: ObjectType, content: Uint8Array, breath: Breath): Promise<Sha> => {
  const hash = createHash("sha1").update(header(type, content.length))
  for (let at = 0; at < content.length; at += hashedAtOnce) {
    await breath.take()
    hash.update(content.subarray(at, at + hashedAtOnce))
  }
  return hash.digest("hex")
}

export const newObject = (type: ObjectType, content: Uint8Array): NewObject => ({
  sha: objectName(type, content),
  type,
  content
})

const isSha = (sha: string): boolean => /^[0-9a-f]{40}$/.test(sha)

/** How many bytes are (de)compressed on this thread: more would be felt by other requests. */
const inlineBytes = 256 * 1024
const deflate = promisify(zlib.deflate)
const inflate = promisify(zlib.inflate)
/** git's own default for loose objects. */
const compression = { level: 1 }

const compress = async ({ type, content }: StoredObject): Promise<Uint8Array> => {
  const whole = Buffer.concat([header(type, content.length), content])
  return whole.length > inlineBytes ? deflate(whole, compression) : zlib.deflateSync(whole, compression)
}

const fanOut = (gitdir: string, sha: Sha): string => `${gitdir}/objects/${sha.slice(0, 2)}`
const loosePath = (gitdir: string, sha: Sha): string => `${fanOut(gitdir, sha)}/${sha.slice(2)}`

/** How old a file may look before that is put right. */
const freshMs = 60 * 60 * 1000

/** Objects whose files wait for the disk at a time. */
const writers = 32

/** Answers whether it made it. It never makes the repository above it, which may have been erased meanwhile. */
const makeDirectory = (path: string): boolean => {
  try {
    if (fs.existsSync(path)) return false
    fs.mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/**
 * Answers whether there is such a file, which counts as written now: what nothing names and nobody has written for a day
 * may be pruned.
 */
const freshen = (path: string): boolean => {
  const written = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (written === undefined) return false
  const now = Date.now()
  if (now - written < freshMs) return true
  try {
    fs.utimesSync(path, now / 1000, now / 1000)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Stores objects durably. The order counts: an object comes after those that it names, so that whoever is killed on the
 * way leaves no object that names a missing one. What is stored already is not written again.
 */
export const writeObjects = async (gitdir: string, objects: ReadonlyArray<NewObject>): Promise<void> => {
  const wanted = [...new Map(objects.map((object) => [object.sha, object])).values()]
  const breath = new Breath()
  const missing: Array<NewObject> = []
  for (const object of wanted) {
    await breath.take()
    if (!freshen(loosePath(gitdir, object.sha))) missing.push(object)
  }
  const staged: Array<string | undefined> = []
  let made = false
  try {
    await inParallel(missing, writers, async (object, index) => {
      staged[index] = await stage(`${gitdir}/objects`, await compress(object), 0o444)
    })
    for (const [index, { sha }] of missing.entries()) {
      if (place(gitdir, sha, staged[index]!)) made = true
      staged[index] = undefined
      await breath.take()
    }
  } finally {
    for (const path of staged) if (path !== undefined) fs.rmSync(path, { force: true })
  }
  // also where nothing was missing: who wrote it may not have come to this point yet
  const directories = [...new Set(wanted.map(({ sha }) => fanOut(gitdir, sha)))]
  if (made) directories.push(`${gitdir}/objects`)
  await inParallel(directories, writers, async (directory) => {
    try {
      await syncDirectory(directory)
    } catch (error) {
      // all that it held may be in a pack by now, and it gone
      const held = wanted.filter(({ sha }) => fanOut(gitdir, sha) === directory)
      const packed = await Promise.all(held.map(({ sha }) => isPacked(gitdir, sha)))
      if (!isMissing(error) || packed.includes(false) || held.length === 0) throw error
    }
  })
}

/** Puts a staged object in its place; answers whether that took a new directory. A repack may remove one that is empty. */
const place = (gitdir: string, sha: Sha, staged: string): boolean => {
  for (let tries = 1; ; tries++) {
    const made = makeDirectory(fanOut(gitdir, sha))
    try {
      publish(staged, loosePath(gitdir, sha))
      return made
    } catch (error) {
      if (!isMissing(error) || tries === 5) throw error
    }
  }
}

const parseHeader = (bytes: Buffer): { readonly type: ObjectType; readonly size: number; readonly start: number } => {
  const end = bytes.indexOf(0)
  const [type, size] = bytes.toString("latin1", 0, end).split(" ")
  return { type: type as ObjectType, size: Number(size), start: end + 1 }
}

/** That of an object of whose file only the beginning is there. */
const headerIn = (start: Buffer) => parseHeader(inflatedStart(start))

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT"

const readLoose = async (gitdir: string, sha: Sha): Promise<StoredObject | undefined> => {
  const path = loosePath(gitdir, sha)
  const size = fs.statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return undefined
  const small = size <= inlineBytes
  const bytes = small ? fs.readFileSync(path) : await fs.promises.readFile(path)
  const whole = small ? inflated(bytes, 4 * bytes.length) : await inflate(bytes)
  const { type, start } = parseHeader(whole)
  return { type, content: whole.subarray(start) }
}

/** An object, loose or packed; `undefined` when there is none of that name. */
export const readObject = async (gitdir: string, sha: Sha): Promise<StoredObject | undefined> => {
  if (!isSha(sha)) return undefined
  // a repack moves an object from its own file into a pack: look again when the file went between the two
  return (await readLoose(gitdir, sha)) ?? (await readPacked(gitdir, sha)) ?? (await readLoose(gitdir, sha))
}

const openLoose = async (gitdir: string, sha: Sha): Promise<Compressed | undefined> => {
  const file = await fs.promises.open(loosePath(gitdir, sha)).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  if (file === undefined) return undefined
  try {
    const start = Buffer.alloc(128)
    const { bytesRead } = await file.read(start, 0, start.length, 0)
    return { file, start: 0, end: undefined, head: headerIn(start.subarray(0, bytesRead)).start }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** An object to be read piece by piece, for who closes its file; `undefined`: it is a delta of another one, or not there at all. */
export const openObject = async (gitdir: string, sha: Sha): Promise<Compressed | undefined> =>
  (await openLoose(gitdir, sha)) ?? (await openPacked(gitdir, sha)) ?? (await openLoose(gitdir, sha))

/** Bytes of an object's content, from the beginning of its file where it has one of its own. */
export const objectSize = async (gitdir: string, sha: Sha): Promise<number | undefined> =>
  looseSize(gitdir, sha) ?? (await packedSize(gitdir, sha)) ?? looseSize(gitdir, sha)

const looseSize = (gitdir: string, sha: Sha): number | undefined => {
  const path = loosePath(gitdir, sha)
  // an exception for each object that is packed would cost more than this look
  if (!fs.existsSync(path)) return undefined
  const start = Buffer.allocUnsafe(128)
  try {
    const file = fs.openSync(path, "r")
    try {
      const read = fs.readSync(file, start, 0, start.length, 0)
      return headerIn(start.subarray(0, read)).size
    } finally {
      fs.closeSync(file)
    }
  } catch (error) {
    if (!isMissing(error)) throw error
    return undefined
  }
}

export const hasObject = async (gitdir: string, sha: Sha): Promise<boolean> =>
  isSha(sha) && (fs.existsSync(loosePath(gitdir, sha)) || (await isPacked(gitdir, sha)))
