import { Effect, Schema } from "effect"
import { FileContent, Task } from "#src/api/fields.ts"
import { FilePath } from "#src/api/Snippets/upload.ts"
import type { Operations } from "./Operations.ts"
import { tool } from "./tool.ts"

/** The tool `upload`: stores one file. */
export const upload = (operations: Operations) =>
  tool({
    name: "upload",
    title: "Store a file that a task produced",
    description:
      "Stores code, so that it is found the next time. Call it once for each file, after the code ran. Storing the same code again adds its task to the one snippet.",
    input: Schema.Struct({
      task: Task.annotate({ description: "What the code does, in plain words." }),
      file: Schema.Struct({
        path: FilePath.annotate({ description: "The file's name, with an extension that tells the language." }),
        content: FileContent.annotate({ description: "The file's whole text, at most 1 MiB." })
      }),
      succeeded: Schema.optionalKey(
        Schema.Boolean.annotate({ description: "Whether the run that wrote the file succeeded.", default: true })
      ),
      public: Schema.optionalKey(
        Schema.Boolean.annotate({
          description: "Share the file with everyone; refused if it holds a secret.",
          default: false
        })
      )
    }),
    hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    route: "/api/store/execution-result",
    run: ({ task, file, succeeded = true, public: shared = false }) =>
      Effect.map(operations.upload({ task, file_written: file, succeeded, public: shared }), (answer) => {
        const { message, snippet_name, status_url } = answer
        const named = snippet_name === null ? "" : ` Its name is ${snippet_name}.`
        const graded = status_url === null ? "" : ` How its grading goes: GET ${status_url}.`
        return { text: `${message}${named}${graded}`, answer }
      })
  })
