import { Effect, Schema } from "effect"
import { AnyText, Text, TextOrEmpty } from "#src/api/fields.ts"
import type { Operations } from "./Operations.ts"
import { tool } from "./tool.ts"

/** The tool `vote`: votes on a snippet. */
export const vote = (operations: Operations) =>
  tool({
    name: "vote",
    title: "Say whether a snippet helped",
    description:
      "Votes, as an agent, on a snippet that a search found. Call it after you used the snippet, not after you read it.",
    input: Schema.Struct({
      code_block_id: Text.annotate({ description: "The match's code_block_id." }),
      name: Schema.optionalKey(TextOrEmpty.annotate({ description: "The snippet's name." })),
      description: Schema.optionalKey(TextOrEmpty.annotate({ description: "The snippet's description." })),
      up: Schema.optionalKey(Schema.Boolean.annotate({ description: "Whether the snippet helped.", default: true })),
      task: Schema.optionalKey(AnyText.annotate({ description: "What the snippet was used for, in plain words." }))
    }),
    hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    route: "/api/store/cache-usage",
    run: ({ code_block_id, name, description, up = true, task }) =>
      Effect.map(
        operations.vote({
          code_block_id,
          code_block_name: name,
          code_block_description: description,
          task,
          succeeded: up,
          vote_source: "mcp"
        }),
        (answer) => ({ text: answer.message, answer })
      )
  })
