import { posix } from "node:path"
import { Effect } from "effect"
import { z } from "zod"
import { choicesOf, matchingPaths, matchingWork, mostChoices } from "#domain/glob.ts"
import type { Workers } from "#ports/Workers.ts"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { inWorkspace, root } from "./path.ts"
import { counted } from "./text.ts"
import { define, ToolFailed } from "./tool.ts"
import { worked } from "./work.ts"

const mostPaths = 1_000
/** Steps up to which a search runs in this process: some milliseconds. */
const small = 500_000

/** Lists paths by a pattern. */
export const glob = (overlay: Overlay, workers: Workers["Service"]) =>
  define({
    name: "Glob",
    description: `Lists the files of the workspace whose path matches a pattern: * and ? stay within a name, ** goes through folders, [a-z] and {a,b} are alternatives (no more than ${mostChoices} together). At most ${mostPaths} paths.`,
    schema: z.object({
      pattern: z.string().min(1).max(1_000).describe("For example **/*.ts"),
      path: z.string().optional().describe("Folder to look in; the workspace's root unless given")
    }),
    run: Effect.fnUntraced(function* ({ pattern, path = root }) {
      const folder = yield* inWorkspace(path)
      const full = posix.normalize(posix.isAbsolute(pattern) ? pattern : `${posix.join(root, folder)}/${pattern}`)
      if (!full.startsWith(root)) return yield* new ToolFailed({ message: "The pattern leads out of the workspace." })
      if (choicesOf(full) > mostChoices) {
        return yield* new ToolFailed({ message: `The pattern has more than ${mostChoices} alternatives.` })
      }
      const inside = full.replace(/^\/workspace\/?/, "")
      // paths are joined by line ends here, so a name that has one is left out
      const paths = overlay
        .paths()
        .filter((path) => !path.includes("\n"))
        .join("\n")
      const found =
        matchingWork(inside, paths) <= small
          ? matchingPaths(inside, paths, mostPaths)
          : yield* worked(workers, "matchingPaths", [inside, paths, mostPaths], "To look for this pattern")
      if (found.count === 0) return "No file matches."
      if (found.count <= mostPaths) return found.shown
      return `${found.shown}\n(the first ${mostPaths} of ${counted(found.count, "path")})`
    })
  })
