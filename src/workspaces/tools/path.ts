import { posix } from "node:path"
import { Effect } from "effect"
import type { WorkspacePath } from "#ports/WorkspaceStore.ts"
import { ToolFailed } from "./tool.ts"

/** Where the workspace is for the model and in the shell. */
export const root = "/workspace"

/** Characters of a path that is looked at; no workspace has a longer one. */
const longest = 8_192

/** Gives a path that a model wrote (`/workspace/a/b`, `a/b`, `./a/b`) as the Overlay knows it. Fails on one outside. */
export const inWorkspace = (path: string): Effect.Effect<WorkspacePath, ToolFailed> => {
  if (path.length > longest) {
    return Effect.fail(
      new ToolFailed({ message: `A path has at most 4096 bytes; this one has ${path.length} characters.` })
    )
  }
  const full = posix.resolve(root, path)
  if (full === root) return Effect.succeed("")
  if (full.startsWith(`${root}/`)) return Effect.succeed(full.slice(root.length + 1))
  return Effect.fail(new ToolFailed({ message: `${path} is outside of the workspace (${root}).` }))
}
