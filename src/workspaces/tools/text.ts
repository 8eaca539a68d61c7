import { Effect } from "effect"
import { thousands } from "#domain/text/thousands.ts"
import type { Overlay, OverlayError, WorkspacePath } from "#ports/WorkspaceStore.ts"
import { ToolFailed } from "./tool.ts"

/** Bytes of a file that the file tools take into memory. */
export const largest = 32 * 1024 * 1024
/** Bytes up to which a file is looked through in this process: some milliseconds. */
export const small = 64 * 1024

/** A file's bytes; fails on a directory and on a file that is too large for the tools. */
export const readBytes = Effect.fnUntraced(function* (
  overlay: Overlay,
  path: WorkspacePath
): Effect.fn.Return<Uint8Array, ToolFailed | OverlayError> {
  const { kind, size } = yield* overlay.stat(path)
  if (kind === "directory") {
    return yield* new ToolFailed({ message: `${path || "/workspace"} is a directory; list it with Glob or Bash.` })
  }
  if (size > largest) {
    return yield* new ToolFailed({ message: `${path} has ${size} bytes; take a part of it with Bash.` })
  }
  return yield* overlay.readFile(path)
})

/** Why a file tool can't work on a file that is not text. */
export const noText = (path: WorkspacePath, bytes: Uint8Array) =>
  new ToolFailed({ message: `${path} is a binary file of ${bytes.length} bytes, not text.` })

/** `1 file`, `1,200 files`: for a word whose plural ends in s. */
export const counted = (count: number, one: string) => `${thousands(count)} ${one}${count === 1 ? "" : "s"}`
