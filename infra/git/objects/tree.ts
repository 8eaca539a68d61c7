import { kindProblem, nameProblem } from "#domain/workspacePath.ts"
import type { EntryKind, Sha, SkippedEntry, TreeFile } from "#ports/WorkspaceStore.ts"
import { Breath } from "../Breath.ts"

/** A file or link. Its content never changes; `sha` and `size` are filled in when known, `bytes` goes once stored. */
export interface FileNode {
  readonly kind: "file" | "executable" | "symlink"
  /** Its blob's name; `undefined` until somebody needs it, while `bytes` is there. */
  sha: Sha | undefined
  /** Content that is not stored yet. */
  bytes: Uint8Array | undefined
  size: number | undefined
}

/** A stored directory, by the name of its tree. */
export interface TreeRef {
  readonly kind: "directory"
  readonly sha: Sha
}

/** A tree as it is stored. */
export interface StoredTree {
  readonly sha: Sha
  /** In git's order. */
  readonly entries: ReadonlyMap<string, FileNode | TreeRef>
  /** Entries whose names or kinds no workspace may have; their paths are relative to this tree. */
  readonly skipped: ReadonlyArray<SkippedEntry>
}

/** Entries read of a tree and all below it, at most: a tree from outside may name the same tree a thousandfold. */
export const mostEntries = 1_000_000

export const emptyTree: StoredTree = {
  sha: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  entries: new Map(),
  skipped: []
}

/** A file's mode as a tree writes it. */
export const modeOf = (kind: FileNode["kind"]): TreeFile["mode"] =>
  kind === "symlink" ? "120000" : kind === "executable" ? "100755" : "100644"

/** The kind that a mode stands for; `undefined`: a submodule, or a mode that git never writes. */
const kindOf = (mode: string): EntryKind | undefined => {
  const type = Number.parseInt(mode, 8) & 0o170000
  if (type === 0o040000) return "directory"
  if (type === 0o120000) return "symlink"
  if (type !== 0o100000) return undefined
  // old versions of git wrote 100664
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? "file" : "executable"
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const readName = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

const problemOf = (name: string | undefined, kind: EntryKind | undefined): string | undefined => {
  if (kind === undefined) return "submodules are not kept"
  if (name === undefined) return "the name is no UTF-8"
  return nameProblem(name) ?? kindProblem(name, kind)
}

/** Entries read or written without a break: less than a millisecond. */
const entriesAtOnce = 500

/** Reads a tree's bytes. Entries that no workspace may hold are left out and listed in `skipped`. */
export const parseTree = async (sha: Sha, content: Uint8Array): Promise<StoredTree> => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  const entries = new Map<string, FileNode | TreeRef>()
  const skipped: Array<SkippedEntry> = []
  const breath = new Breath()
  for (let at = 0, read = 1; at < bytes.length; read++) {
    if (read % entriesAtOnce === 0) await breath.take()
    const space = bytes.indexOf(0x20, at)
    const nul = bytes.indexOf(0, space)
    if (space < 0 || nul < 0 || nul + 21 > bytes.length) throw new Error("a tree ends too early")
    const kind = kindOf(bytes.toString("latin1", at, space))
    const name = readName(bytes.subarray(space + 1, nul))
    const problem = problemOf(name, kind)
    if (problem === undefined) {
      const child = bytes.toString("hex", nul + 1, nul + 21)
      const node = kind === "directory" ? { kind, sha: child } : { kind, sha: child, bytes: undefined, size: undefined }
      entries.set(name!, node as FileNode | TreeRef)
    } else skipped.push({ path: bytes.toString("utf8", space + 1, nul), reason: problem })
    at = nul + 21
  }
  return { sha, entries, skipped }
}

/** What git sorts an entry by, in byte order: whole paths are in byte order, too. */
export const sortName = ([name, { kind }]: readonly [string, { readonly kind: EntryKind }]): string =>
  kind === "directory" ? `${name}/` : name

const digitOf = (unit: number): number => (unit < 0x3a ? unit - 0x30 : unit - 0x57)

// by hand: thousands of short `Buffer.write` calls take three times as long
const writeText = (bytes: Buffer, at: number, text: string): number => {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x80) return at + index + bytes.write(text.slice(index), at + index)
    bytes[at + index] = unit
  }
  return at + text.length
}
const writeSha = (bytes: Buffer, at: number, sha: Sha): number => {
  for (let index = 0; index < 20; index++) {
    bytes[at + index] = (digitOf(sha.charCodeAt(2 * index)) << 4) | digitOf(sha.charCodeAt(2 * index + 1))
  }
  return at + 20
}

/** A tree's bytes. The entries must be in git's order, and the names of all their objects known. */
export const formatTree = async (
  entries: ReadonlyArray<readonly [string, FileNode | TreeRef]>,
  breath: Breath
): Promise<Uint8Array> => {
  // a UTF-16 unit takes at most three bytes of UTF-8
  const most = entries.reduce((sum, [name]) => sum + name.length * 3 + 28, 0)
  const bytes = Buffer.allocUnsafe(most)
  let at = 0
  for (const [index, [name, node]] of entries.entries()) {
    if (index % entriesAtOnce === 0) await breath.take()
    at = writeText(bytes, at, node.kind === "directory" ? "40000 " : `${modeOf(node.kind)} `)
    at = writeText(bytes, at, name)
    bytes[at++] = 0
    at = writeSha(bytes, at, node.sha!)
  }
  return bytes.subarray(0, at)
}
