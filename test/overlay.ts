import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { type Overlay, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { layer } from "#test/gitWorkspaceStore.ts"

/** An empty workspace's Overlay, in a folder that goes with the scope. `limits` as the git adapter has them. */
export const emptyOverlay = (limits?: { readonly bytes: number; readonly files: number }) =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-overlay-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const open = WorkspaceStore.use((workspaces) => workspaces.open("w", undefined))
    return yield* Effect.provide(open, layer({ directory, ...(limits && { limits }) }))
  })

export const put = (overlay: Overlay, path: string, text: string) => overlay.writeFile(path, Buffer.from(text))

export const textAt = (overlay: Overlay, path: string) =>
  Effect.map(overlay.readFile(path), (bytes) => Buffer.from(bytes).toString())
