import { Effect } from "effect"
import { z } from "zod"
import type { Overlay } from "#ports/Workspaces.ts"
import { inWorkspace } from "./path.ts"
import { readText } from "./text.ts"
import { define, ToolFailed, withFilePath } from "./tool.ts"

const mostLines = 2_000
const mostBytes = 200_000
const longestLine = 2_000

export const read = (overlay: Overlay) =>
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
      const text = yield* readText(overlay, path)
      if (text === "") return `(${path} is empty)`
      const lines = text.replace(/\n$/, "").split("\n")
      if (offset > lines.length) {
        return yield* new ToolFailed({ message: `${path} has only ${lines.length} lines.` })
      }
      const shown: Array<string> = []
      let bytes = 0
      for (const [index, line] of lines.slice(offset - 1, offset - 1 + Math.min(limit, mostLines)).entries()) {
        const numbered = `${String(offset + index).padStart(6)}\t${cutLine(line)}`
        bytes += Buffer.byteLength(numbered) + 1
        if (bytes > mostBytes) break
        shown.push(numbered)
      }
      const last = offset + shown.length - 1
      if (offset > 1 || last < lines.length) shown.push(`(lines ${offset} to ${last} of ${lines.length})`)
      return shown.join("\n")
    })
  })

const cutLine = (line: string) =>
  line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (${line.length} characters)`
