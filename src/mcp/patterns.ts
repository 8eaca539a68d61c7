import { Effect, Schema } from "effect"
import { AnyText, whole } from "#src/api/fields.ts"
import { CallerScope } from "#src/api/middleware.ts"
import { newBoundary, part } from "#src/snippets/untrusted.ts"
import { line } from "./line.ts"
import type { Operations } from "./Operations.ts"
import { tool } from "./tool.ts"

/** The tool `patterns`: which snippets helped with which tasks. */
export const patterns = (operations: Operations) =>
  tool({
    name: "patterns",
    title: "Which snippet helped with which task",
    description: "Lists tasks with the snippets that were voted on for them, similar tasks and best votes first.",
    input: Schema.Struct({
      task: Schema.optionalKey(AnyText.annotate({ description: "Put similar tasks first." })),
      top_k: Schema.optionalKey(
        whole(1, 100).annotate({ description: "Return at most this many patterns.", default: 10 })
      )
    }),
    hints: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    route: "/api/retrieve/task-patterns",
    run: ({ task, top_k = 10 }) =>
      Effect.gen(function* () {
        const { includePublic } = yield* CallerScope
        // a model has no use for a cursor: it asks for more patterns at once
        const { next_cursor: _, ...answer } = yield* operations.patterns({ task, top_k })
        const lines = answer.patterns.map(
          ({ task_pattern, code_block_name, code_block_id, thumbs_up, thumbs_down }) =>
            `- ${line(task_pattern, 300)}: ${line(code_block_name)} (code_block_id ${code_block_id}), votes +${thumbs_up} −${thumbs_down}`
        )
        if (lines.length === 0) return { text: "No votes for any task yet.", answer }
        const list = lines.join("\n")
        // with `includePublic`, the list may have names of public snippets
        return { text: includePublic ? part(newBoundary(), "text, some of it by strangers,", list) : list, answer }
      })
  })
