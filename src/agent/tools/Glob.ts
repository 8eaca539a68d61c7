import { posix } from "node:path"
import { Effect } from "effect"
import { z } from "zod"
import type { Overlay } from "#ports/Workspaces.ts"
import { inWorkspace, root } from "./path.ts"
import { matcher } from "./pattern.ts"
import { counted } from "./text.ts"
import { define, ToolFailed } from "./tool.ts"

const mostPaths = 1_000

export const glob = (overlay: Overlay) =>
  define({
    name: "Glob",
    description: `Lists the files of the workspace whose path matches a pattern: * and ? stay within a name, ** goes through folders, [a-z] and {a,b} are alternatives. At most ${mostPaths} paths.`,
    schema: z.object({
      pattern: z.string().min(1).max(1_000).describe("For example **/*.ts"),
      path: z.string().optional().describe("Folder to look in; the workspace's root unless given")
    }),
    run: Effect.fnUntraced(function* ({ pattern, path = root }) {
      const folder = yield* inWorkspace(path)
      const full = posix.isAbsolute(pattern) ? pattern : `${posix.join(root, folder)}/${pattern}`
      const matches = matcher(posix.normalize(full).replace(/^\/workspace\/?/, ""))
      if (matches === undefined || !posix.normalize(full).startsWith(root)) {
        return yield* new ToolFailed({
          message: "The pattern has too many alternatives, or leads out of the workspace."
        })
      }
      const found = overlay.paths().filter(matches)
      if (found.length === 0) return "No file matches."
      const shown = found.slice(0, mostPaths)
      if (shown.length < found.length) shown.push(`(the first ${mostPaths} of ${counted(found.length, "path")})`)
      return shown.join("\n")
    })
  })
