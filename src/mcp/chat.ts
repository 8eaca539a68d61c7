import { Effect, Schema } from "effect"
import { Model, Scoped } from "#src/api/Chat.ts"
import { Text, whole } from "#src/api/fields.ts"
import type { Operations } from "./Operations.ts"
import { fileUri } from "./resources.ts"
import { tool } from "./tool.ts"

export const chat = (operations: Operations) =>
  tool({
    name: "chat",
    title: "Give an agent a task in a workspace",
    description:
      "Restores the workspace of (org_id, user_id), lets an agent work on its files with tools, and saves what changed as one commit. Takes up to some minutes; the same call again waits for the run that is under way.",
    input: Schema.Struct({
      user_query: Text.annotate({ description: "The task, in plain words." }),
      user_id: Scoped.annotate({ description: "Whose workspace it is; any name." }),
      org_id: Scoped.annotate({ description: "Of which organization; any name." }),
      model: Schema.optionalKey(
        Model.annotate({ description: "sonnet, opus, haiku, local, or a model's full id.", default: "sonnet" })
      ),
      max_turns: Schema.optionalKey(whole(1, 100).annotate({ description: "Most turns of the model.", default: 8 }))
    }),
    hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    route: "/api/agent-chat",
    run: (request) =>
      Effect.map(operations.chat(request), (answer) => {
        const { success, output, error, changed_files, workspace_id, commit } = answer
        const files =
          changed_files.length === 0
            ? "No file changed."
            : `Changed: ${changed_files.map((path) => `${path} (${fileUri(workspace_id, path)})`).join(", ")}.`
        const said = [error === "" ? "" : `It did not end well: ${error}`, output].filter((part) => part !== "")
        return {
          text: [...said, `${files} Saved as commit ${commit}.`].join("\n\n"),
          structure: answer,
          failed: !success
        }
      })
  })
