import { Effect } from "effect"
import type { Overlay, OverlayError, WorkspacePath } from "#ports/Workspaces.ts"
import { ToolFailed } from "./tool.ts"

/** Bytes of a file that the file tools take into memory. */
const largest = 32 * 1024 * 1024

/** A file's text; fails on a directory, a binary file and one that is too large for the tools. */
export const readText = Effect.fnUntraced(function* (
  overlay: Overlay,
  path: WorkspacePath
): Effect.fn.Return<string, ToolFailed | OverlayError> {
  const { kind, size } = yield* overlay.stat(path)
  if (kind === "directory") {
    return yield* new ToolFailed({ message: `${path || "/workspace"} is a directory; list it with Glob or Bash.` })
  }
  if (size > largest) {
    return yield* new ToolFailed({ message: `${path} has ${size} bytes; take a part of it with Bash.` })
  }
  const bytes = yield* overlay.readFile(path)
  const text = decoded(bytes)
  if (text === undefined) {
    return yield* new ToolFailed({ message: `${path} is a binary file of ${bytes.length} bytes, not text.` })
  }
  return text
})

const decoded = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export const counted = (count: number, one: string) =>
  `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`
