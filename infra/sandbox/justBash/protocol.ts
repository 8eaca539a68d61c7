import type { EntryKind } from "#ports/WorkspaceStore.ts"

/** What the child can ask of the run's Overlay. Paths are as the mounted file system sees them: `/src/a.ts`. */
export interface Operations {
  readonly stat: (path: string) => { readonly kind: EntryKind; readonly size: number }
  readonly lstat: (path: string) => { readonly kind: EntryKind; readonly size: number }
  readonly readFile: (path: string) => Uint8Array
  readonly readlink: (path: string) => string
  readonly readdir: (path: string) => ReadonlyArray<{ readonly name: string; readonly kind: EntryKind }>
  readonly writeFile: (path: string, bytes: Uint8Array) => void
  readonly appendFile: (path: string, bytes: Uint8Array) => void
  readonly mkdir: (path: string, recursive: boolean) => void
  readonly remove: (path: string, recursive: boolean, force: boolean) => void
  readonly rename: (from: string, to: string) => void
  readonly symlink: (target: string, path: string) => void
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
