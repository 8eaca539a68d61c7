import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { isMissing, there } from "../../systemErrors.ts"
import { beginningOf, type Compressed, contentOf, decompressAtOnce, mostAtOnce } from "./compressed.ts"
import { checkSize, type ObjectType, type StoredObject } from "./object.ts"

/** The folder of a loose object. */
export const fanOut = (gitdir: string, sha: Sha): string => `${gitdir}/objects/${sha.slice(0, 2)}`

/** A loose object's own file. */
export const loosePath = (gitdir: string, sha: Sha): string => `${fanOut(gitdir, sha)}/${sha.slice(2)}`

/** What an object's file begins with, and where its content begins. */
interface Head {
  readonly type: ObjectType
  readonly size: number
  readonly start: number
}

const parseHead = (bytes: Buffer): Head => {
  const end = bytes.indexOf(0)
  const [type, size] = bytes.toString("latin1", 0, end).split(" ")
  return { type: type as ObjectType, size: checkSize(Number(size)), start: end + 1 }
}

/** Bytes that a head takes at most, compressed or not. */
const longestHead = 128

const headOf = (file: number): Head => {
  const bytes = Buffer.allocUnsafe(longestHead)
  return parseHead(beginningOf(bytes.subarray(0, fs.readSync(file, bytes, 0, longestHead, 0))))
}

/** Whether an object lies in a file of its own. */
export const hasLoose = (gitdir: string, sha: Sha): boolean => fs.existsSync(loosePath(gitdir, sha))

/** Bytes of a loose object's content, read from its head alone; `undefined`: there is no such object. */
export const looseSize = (gitdir: string, sha: Sha): number | undefined => {
  // this look costs less than an exception for each packed object
  if (!hasLoose(gitdir, sha)) return undefined
  return there(() => {
    const file = fs.openSync(loosePath(gitdir, sha), "r")
    try {
      return headOf(file).size
    } finally {
      fs.closeSync(file)
    }
  })
}

/** A loose object's type, and its content to be read piece by piece; `undefined`: there is none. */
export const openLoose = async (gitdir: string, sha: Sha): Promise<(Compressed & Pick<Head, "type">) | undefined> => {
  if (!hasLoose(gitdir, sha)) return undefined
  const file = await fs.promises.open(loosePath(gitdir, sha)).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  if (file === undefined) return undefined
  try {
    const { type, size, start } = headOf(file.fd)
    return { type, size, file, start: 0, head: start }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A whole loose object; `undefined`: there is none. Rejects when it has another length than its head says. */
export const readLoose = async (gitdir: string, sha: Sha): Promise<StoredObject | undefined> => {
  const path = loosePath(gitdir, sha)
  const stored = fs.statSync(path, { throwIfNoEntry: false })?.size
  if (stored === undefined) return undefined
  const bytes = stored > mostAtOnce ? undefined : there(() => fs.readFileSync(path))
  const whole = bytes && decompressAtOnce(bytes, 4 * bytes.length)
  if (whole !== undefined) {
    const { type, size, start } = parseHead(whole)
    if (whole.length - start !== size) throw new Error("an object has another length than it says")
    return { type, content: whole.subarray(start) }
  }
  const opened = await openLoose(gitdir, sha)
  return opened && { type: opened.type, content: await contentOf(opened) }
}
