import { Effect } from "effect"
import { z } from "zod"
import type { Overlay } from "#ports/Workspaces.ts"
import { inWorkspace } from "./path.ts"
import { counted, readText } from "./text.ts"
import { define, ToolFailed, withFilePath } from "./tool.ts"

const failed = (message: string) => new ToolFailed({ message })

export const edit = (overlay: Overlay) =>
  define({
    name: "Edit",
    description:
      "Replaces a piece of text in a file of the workspace. The text must be in the file exactly as given, blanks included (without the line numbers of Read), and once only, unless replace_all is set.",
    schema: withFilePath({
      file_path: z.string().min(1).describe("Path in the workspace: /workspace/src/a.ts or src/a.ts"),
      old_string: z.string().min(1).describe("The text to replace"),
      new_string: z.string().describe("The text to put there"),
      replace_all: z.boolean().optional().describe("Replace it wherever it is")
    }),
    run: Effect.fnUntraced(function* ({ file_path: asked, old_string: before, new_string: after, replace_all: all }) {
      const path = yield* inWorkspace(asked)
      if (before === after) return yield* failed("old_string and new_string are the same.")
      const pieces = (yield* readText(overlay, path)).split(before)
      const found = pieces.length - 1
      if (found === 0) return yield* failed(`old_string is not in ${path}.`)
      if (found > 1 && all !== true) {
        return yield* failed(
          `old_string is ${found} times in ${path}: give more of its surroundings, or set replace_all.`
        )
      }
      yield* overlay.writeFile(path, Buffer.from(pieces.join(after)))
      return `Replaced ${counted(found, "place")} in ${path}.`
    })
  })
