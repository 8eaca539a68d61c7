import { Effect } from "effect"
import { z } from "zod"
import { linesBounds, numberedLines } from "#domain/textFile.ts"
import type { Workers } from "#ports/Workers.ts"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { inWorkspace } from "./path.ts"
import { noText, readBytes, small } from "./text.ts"
import { define, ToolFailed, withFilePath } from "./tool.ts"
import { worked } from "./work.ts"

const { mostLines, longestLine } = linesBounds

/** Reads the lines of one text file. */
export const read = (overlay: Overlay, workers: Workers["Service"]) =>
  define({
    name: "Read",
    description: `Reads a text file of the workspace, each line with its number and a tab before it. At most ${mostLines} lines and 200 kB at once: use offset and limit for the rest. Lines are cut after ${longestLine} characters.`,
    schema: withFilePath({
      file_path: z.string().min(1).describe("Path in the workspace: /workspace/src/a.ts or src/a.ts"),
      offset: z.int().min(1).optional().describe("First line, counted from 1"),
      limit: z.int().min(1).optional().describe(`How many lines, at most ${mostLines}`)
    }),
    run: Effect.fnUntraced(function* ({ file_path: asked, offset = 1, limit = mostLines }) {
      const path = yield* inWorkspace(asked)
      const bytes = yield* readBytes(overlay, path)
      const lines =
        bytes.length <= small
          ? numberedLines(bytes, offset, limit)
          : yield* worked(workers, "numberedLines", [bytes, offset, limit], `To look through ${path}`)
      switch (lines.type) {
        case "binary":
          return yield* noText(path, bytes)
        case "empty":
          return `(${path} is empty)`
        case "ended":
          return yield* new ToolFailed({ message: `${path} has only ${lines.lines} lines.` })
        case "lines":
          return lines.text
      }
    })
  })
