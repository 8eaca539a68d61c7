import { Effect, Schema } from "effect"
import { Model, Scoped } from "#src/api/Chat.ts"
import { Text, whole } from "#src/api/fields.ts"
import { counted } from "#src/counted.ts"
import type { Operations } from "./Operations.ts"
import { tool } from "./tool.ts"
import { filesUri, fileUri } from "./uris.ts"

/** How many files the text names. */
const named = 50
const listed = (shown: ReadonlyArray<string>, all: number): string =>
  `${shown.join(", ")}${all > shown.length ? ` and ${all - shown.length} more` : ""}`

/** The tool `chat`: gives a task to the service's own agent. */
export const chat = (operations: Operations) =>
  tool({
    name: "chat",
    title: "Give an agent a task in a workspace",
    description:
      "Gives a task to another agent, which works with tools on the files of the workspace of (org_id, user_id) and saves the changes as one commit. The same pair finds its files again. A call may take minutes. If it was cut off or timed out, make the same call again: it waits for the run under way and starts no second one. Cancelling a call cancels its run; what the run wrote is saved.",
    input: Schema.Struct({
      user_query: Text.annotate({ description: "The task, in plain words." }),
      user_id: Scoped.annotate({
        description: "Your own name for the person whose workspace this is, the same each time."
      }),
      org_id: Scoped.annotate({ description: "Your own name for the person's organization, the same each time." }),
      model: Schema.optionalKey(
        Model.annotate({ description: "sonnet, opus, haiku, local, or a model's full id.", default: "sonnet" })
      ),
      max_turns: Schema.optionalKey(
        whole(1, 100).annotate({ description: "How many turns the model may take.", default: 8 })
      ),
      memory: Schema.optionalKey(
        Schema.Boolean.annotate({
          description:
            "Whether the agent is told what earlier chats with memory came to (.cairn/memory.md in the workspace), and this chat is added to that file.",
          default: false
        })
      )
    }),
    hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    route: "/api/agent-chat",
    run: (request) =>
      Effect.map(operations.chat(request), ({ answer, counts }) => {
        const { success, output, error, changed_files, workspace_id, commit } = answer
        const changed = changed_files.slice(0, named).map((path) => `${path} (${fileUri(workspace_id, path)})`)
        const said = [
          error === "" ? "" : `It did not end well: ${error}`,
          output === error ? "" : output,
          changed.length === 0 ? "No file changed." : `Changed: ${listed(changed, counts.changed)}.`,
          `The workspace has ${counted(counts.files, "file")}: ${filesUri(workspace_id)}. Saved as commit ${commit}.`
        ]
        return { text: said.filter((part) => part !== "").join("\n\n"), answer, failed: !success }
      })
  })
