import { createHash } from "node:crypto"
import type { Sha } from "#ports/WorkspaceStore.ts"
import type { Breath } from "../Breath.ts"

/** The type of an object. */
export type ObjectType = "blob" | "tree" | "commit" | "tag"

export interface StoredObject {
  readonly type: ObjectType
  readonly content: Uint8Array
}

export interface NewObject extends StoredObject {
  readonly sha: Sha
}

/** Whether a text is an object's name: 40 lower-case hexadecimal digits. */
export const isSha = (sha: string): boolean => /^[0-9a-f]{40}$/.test(sha)

/** The head that stands before an object's content, both in its name's digest and in a loose object's file. */
export const headOf = (type: ObjectType, size: number): Uint8Array => Buffer.from(`${type} ${size}\0`, "latin1")

/** An object's name: the SHA-1 digest of its head and content. */
export const objectName = (type: ObjectType, content: Uint8Array): Sha =>
  createHash("sha1").update(headOf(type, content.length)).update(content).digest("hex")

/** Bytes hashed without a break. */
const hashedAtOnce = 1024 * 1024

/** What `objectName` gives, with breaths for content that may be large. */
export const nameOfContent = async (type: ObjectType, content: Uint8Array, breath: Breath): Promise<Sha> => {
  const hash = createHash("sha1").update(headOf(type, content.length))
  for (let at = 0; at < content.length; at += hashedAtOnce) {
    await breath.take()
    hash.update(content.subarray(at, at + hashedAtOnce))
  }
  return hash.digest("hex")
}

/** An object that is to be written, with its name. */
export const newObject = (type: ObjectType, content: Uint8Array): NewObject => ({
  sha: objectName(type, content),
  type,
  content
})

/** The most bytes of an object's content: no workspace holds more. */
const largest = 1024 ** 3

/** The size that an object claims; throws when none can have it: an object from outside may claim anything. */
export const checkSize = (size: number): number => {
  if (Number.isSafeInteger(size) && size >= 0 && size <= largest) return size
  throw new Error(`an object says that it has ${size} bytes`)
}
