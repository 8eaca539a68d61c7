import { Effect } from "effect"
import { z } from "zod"
import { replaced } from "#domain/textFile.ts"
import type { Workers } from "#ports/Workers.ts"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { inWorkspace } from "./path.ts"
import { counted, largest, noText, readBytes, small } from "./text.ts"
import { define, ToolFailed, withFilePath } from "./tool.ts"
import { worked } from "./work.ts"

const failed = (message: string) => new ToolFailed({ message })

/** Replaces text in one file. */
export const edit = (overlay: Overlay, workers: Workers["Service"]) =>
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
    run: Effect.fnUntraced(function* ({ file_path: asked, old_string: before, new_string: after, replace_all }) {
      const path = yield* inWorkspace(asked)
      if (before === after) return yield* failed("old_string and new_string are the same.")
      const bytes = yield* readBytes(overlay, path)
      const all = replace_all === true
      const done =
        bytes.length <= small && (!all || bytes.length * after.length <= small * 64)
          ? replaced(bytes, before, after, all, largest)
          : yield* worked(workers, "replaced", [bytes, before, after, all, largest], `To look through ${path}`)
      switch (done.type) {
        case "binary":
          return yield* noText(path, bytes)
        case "unclear":
          if (done.count === 0) return yield* failed(`old_string is not in ${path}.`)
          return yield* failed(
            `old_string is ${done.count} times in ${path}: give more of its surroundings, or set replace_all.`
          )
        case "tooLarge":
          return yield* failed(
            `${path} would have ${done.size} bytes; Edit makes files of at most ${largest}. Nothing was changed.`
          )
        case "replaced":
          yield* overlay.writeFile(path, done.bytes)
          return `Replaced ${counted(done.count, "place")} in ${path}.`
      }
    })
  })
