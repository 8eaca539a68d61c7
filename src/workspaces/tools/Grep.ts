import { posix } from "node:path"
import { Effect } from "effect"
import { z } from "zod"
import type { Shell } from "#ports/Sandbox.ts"
import { inWorkspace, root } from "./path.ts"
import { counted } from "./text.ts"
import { define, ToolFailed } from "./tool.ts"

const mostLines = 500
const longestLine = 500

/** Searches files in the sandbox, where a pattern that takes forever stops nothing but itself. */
export const grep = (shell: Shell) =>
  define({
    name: "Grep",
    description: `Searches the contents of the workspace's files for an extended regular expression. Answers with the matching lines as path:line:text, or with the paths of the files that have one. At most ${mostLines} lines.`,
    schema: z.object({
      pattern: z.string().min(1).max(10_000),
      path: z.string().optional().describe("File or folder to search; the workspace's root unless given"),
      glob: z.string().optional().describe("Only files whose name matches, for example *.ts"),
      output_mode: z.enum(["content", "files_with_matches", "count"]).optional().describe("content unless given"),
      case_insensitive: z.boolean().optional(),
      context: z.int().min(0).max(20).optional().describe("Lines to show before and after each match")
    }),
    run: Effect.fnUntraced(function* ({ pattern, path = root, glob, output_mode: mode, case_insensitive, context }) {
      const place = yield* inWorkspace(path)
      const options = [
        { content: "-rnE", files_with_matches: "-rlE", count: "-rcE" }[mode ?? "content"],
        ...(case_insensitive === true ? ["-i"] : []),
        ...(context === undefined || mode === "files_with_matches" || mode === "count" ? [] : ["-C", String(context)]),
        ...(glob === undefined ? [] : [`--include=${glob}`])
      ]
      const words = ["grep", ...options, "-e", pattern, "--", place === "" ? "." : posix.join(".", place)]
      const { stdout, stderr, exit } = yield* shell.exec(words.map(quoted).join(" "))
      if (exit > 1) return yield* new ToolFailed({ message: stderr || `grep ended with status ${exit}.` })
      const lines = stdout
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => line.replace(/^\.\//, ""))
        // With -c, grep names every file.
        .filter((line) => line !== "" && !(mode === "count" && line.endsWith(":0")))
      if (lines.length === 0) return "No match."
      const shown = lines.slice(0, mostLines).map(cutLine)
      if (shown.length < lines.length) shown.push(`(the first ${mostLines} of ${counted(lines.length, "line")})`)
      return shown.join("\n")
    })
  })

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

const cutLine = (line: string) => (line.length <= longestLine ? line : `${line.slice(0, longestLine)}…`)
