import type { EntryKind } from "#ports/WorkspaceStore.ts"

/**
 * What the child can ask of the run's Overlay. A call that fails throws with a code of POSIX. Paths are as the mounted
 * file system sees them: `/src/a.ts`.
 */
export interface Operations {
  /** What is at the path, links followed; a size is in bytes. */
  readonly stat: (path: string) => { readonly kind: EntryKind; readonly size: number }
  /** The same for the path itself, which may be a link. */
  readonly lstat: (path: string) => { readonly kind: EntryKind; readonly size: number }
  /** A file's bytes, links followed. */
  readonly readFile: (path: string) => Uint8Array
  /** A link's target, as the link holds it. */
  readonly readlink: (path: string) => string
  /** Names in a folder, in no order. */
  readonly readdir: (path: string) => ReadonlyArray<{ readonly name: string; readonly kind: EntryKind }>
  /** Makes a file or replaces its bytes. */
  readonly writeFile: (path: string, bytes: Uint8Array) => void
  /** Adds bytes to a file, which is made where there is none. */
  readonly appendFile: (path: string, bytes: Uint8Array) => void
  /** Makes a folder, `recursive` with those above it. */
  readonly mkdir: (path: string, recursive: boolean) => void
  /** Removes a path; `recursive` with all below, `force` also where there is none. */
  readonly remove: (path: string, recursive: boolean, force: boolean) => void
  /** Moves a path over whatever is there. */
  readonly rename: (from: string, to: string) => void
  /** Makes a link. */
  readonly symlink: (target: string, path: string) => void
  /** Says whether a file can be run. */
  readonly chmod: (path: string, executable: boolean) => void
}

/** A call of one operation, as a message. */
export type Call = {
  [Name in keyof Operations]: { readonly name: Name; readonly args: Parameters<Operations[Name]> }
}[keyof Operations]

export interface CallFailed {
  /** Of POSIX: `ENOENT`, `ENOSPC`, … */
  readonly code: string
  readonly message: string
}

export type Answer = { readonly value: unknown } | { readonly failure: CallFailed }

export type ToChild =
  | { readonly type: "run"; readonly command: string; readonly output: number }
  | { readonly type: "answer"; readonly id: number; readonly answer: Answer }

export type FromChild =
  | { readonly type: "call"; readonly id: number; readonly call: Call }
  | { readonly type: "done"; readonly stdout: string; readonly stderr: string; readonly exit: number }
  /** Never sent by the child itself: it has ended, for want of memory or by a fault. */
  | { readonly type: "died" }

/** Where the Overlay is mounted and commands start. */
export const mountPoint = "/workspace"
