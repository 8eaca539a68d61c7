import { createHash } from "node:crypto"
import { posix } from "node:path"
import type { EntryKind } from "#ports/WorkspaceStore.ts"

/** An entry known to lie in the file system, as the Overlay has it. */
export interface Mirrored {
  readonly kind: EntryKind
  /** A file's hash, a link's target. */
  readonly content: string
  /** The file is as in the Overlay's base tree. */
  readonly base: boolean
  /** `undefined`: it has to be read to know whether it was changed. */
  readonly stamp: string | undefined
}

/** By names as bytes, see `Found`. */
export type Mirror = Map<string, Mirrored>

/** The SHA-256 digest of bytes, in base64. */
export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64")

/** A path of the Overlay as a name of the file system. */
export const nameOf = (path: string): string => Buffer.from(path).toString("latin1")

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text that bytes are in UTF-8; `undefined`: they are no UTF-8. */
export const textOf = (bytes: string): string | undefined => {
  try {
    return decoder.decode(Buffer.from(bytes, "latin1"))
  } catch {
    return undefined
  }
}

/** A name for a person to read. */
export const shown = (bytes: string): string => JSON.stringify(Buffer.from(bytes, "latin1").toString()).slice(1, -1)

const root = "/workspace"

/** The target that a link keeps: relative within the workspace, to hold wherever the workspace is put. */
export const keptTarget = (path: string, target: string): string =>
  target === root || target.startsWith(`${root}/`)
    ? posix.relative(posix.dirname(`${root}/${path}`), target) || "."
    : target

const classOf = (kind: EntryKind): string => (kind === "executable" ? "file" : kind)

/** Whether an entry has to be removed before one of the other kind can take its place. */
export const differ = (one: EntryKind, other: EntryKind): boolean => classOf(one) !== classOf(other)

/** Those of the names that lie below no other of them. */
export const topmost = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = new Set(names)
  const isBelow = (name: string): boolean => {
    for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) {
      if (all.has(name.slice(0, at))) return true
    }
    return false
  }
  return names.filter((name) => !isBelow(name))
}
