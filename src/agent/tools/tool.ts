import { Data, Effect } from "effect"
import { z } from "zod"
import type { ToolDefinition } from "#ports/LanguageModel.ts"
import type { OverlayError } from "#ports/Workspaces.ts"

/** A tool could not do what was asked; `message` is for the model to read. */
export class ToolFailed extends Data.TaggedError("ToolFailed")<{ readonly message: string }> {}

/** What a tool of an agent is: its input is checked against `schema`, what it fails with is a result for the model. */
export interface Tool<Input> {
  readonly name: string
  readonly description: string
  /** Of a JSON object. */
  readonly schema: z.ZodType<Input>
  readonly run: (input: Input) => Effect.Effect<string, ToolFailed | OverlayError>
}

export const define = <Input>({ name, description, schema, run }: Tool<Input>): ToolDefinition => ({
  name,
  description,
  schema,
  run: (input) => {
    const checked = schema.safeParse(input)
    if (!checked.success) return Effect.succeed({ content: z.prettifyError(checked.error), isError: true })
    return Effect.match(run(checked.data), {
      // No half characters, which no text of the log may hold.
      onSuccess: (content) => ({ content: content.toWellFormed(), isError: false }),
      onFailure: (error) => ({ content: messageOf(error).toWellFormed(), isError: true })
    })
  }
})

const messageOf = (error: ToolFailed | OverlayError) =>
  error._tag === "WorkspaceFull" ? `${error.message} Nothing was changed.` : error.message

/** An object schema that also takes `path` for `file_path`, as models write either. */
export const withFilePath = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((input) => {
    if (typeof input !== "object" || input === null || "file_path" in input || !("path" in input)) return input
    const { path, ...rest } = input
    return { ...rest, file_path: path }
  }, z.object(shape))
