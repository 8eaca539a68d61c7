import { Effect } from "effect"
import { z } from "zod"
import type { Shell } from "#ports/Sandbox.ts"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { define, ToolFailed } from "./tool.ts"

const longest = 120_000

/** Runs shell commands; what took the workspace past its limits is undone. */
export const bash = (overlay: Overlay, shell: Shell) =>
  define({
    name: "Bash",
    description: `Runs a command with bash in /workspace, the workspace's root, and answers with what it printed. There is no network. /tmp lasts until the task ends; variables and the current folder only until the command ends. A command is killed after 30 s, or after timeout (at most ${longest / 1000} s).`,
    schema: z.object({
      command: z.string().min(1),
      timeout: z.int().min(1).max(longest).optional().describe("Milliseconds"),
      description: z.string().optional().describe("What the command is for, in a few words")
    }),
    run: Effect.fnUntraced(function* ({ command, timeout }) {
      const undo = yield* overlay.savepoint()
      const { stdout, stderr, exit, workspaceFull } = yield* shell.exec(
        command,
        timeout === undefined ? {} : { timeout }
      )
      const parts = [stdout, stderr].filter((text) => text !== "").map((text) => text.replace(/\n$/, ""))
      if (exit !== 0) parts.push(`(exit status ${exit})`)
      if (workspaceFull) {
        yield* undo
        parts.push("The command would have passed the workspace's limits, so all that it changed there was undone.")
        return yield* new ToolFailed({ message: parts.join("\n") })
      }
      if (exit !== 0) return yield* new ToolFailed({ message: parts.join("\n") })
      return parts.join("\n") || "(no output)"
    })
  })
