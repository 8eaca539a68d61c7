import { Effect } from "effect"
import { z } from "zod"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { inWorkspace } from "./path.ts"
import { counted } from "./text.ts"
import { define, withFilePath } from "./tool.ts"

/** Writes one whole file. */
export const write = (overlay: Overlay) =>
  define({
    name: "Write",
    description:
      "Writes a text file of the workspace, whole: makes it and its folders, or replaces what it held. To change a part of a file use Edit.",
    schema: withFilePath({
      file_path: z.string().min(1).describe("Path in the workspace: /workspace/src/a.ts or src/a.ts"),
      content: z.string().describe("All of the file's text")
    }),
    run: Effect.fnUntraced(function* ({ file_path: asked, content }) {
      const path = yield* inWorkspace(asked)
      const bytes = Buffer.from(content)
      const existed = yield* Effect.isSuccess(overlay.lstat(path))
      yield* overlay.writeFile(path, bytes)
      return `${existed ? "Replaced" : "Created"} ${path} (${counted(bytes.length, "byte")}).`
    })
  })
