import { Data, Effect } from "effect"
import { z } from "zod"
import type { Form } from "#ports/LanguageModel.ts"
import { type OverlayError, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"

/** A tool could not do what was asked; `message` is for the model to read. */
export class ToolFailed extends Data.TaggedError("ToolFailed")<{ readonly message: string }> {}

/** One tool of an agent, as its loop calls it. */
export interface Tool extends Form {
  /** `input` is what the model wrote. Never fails: an error is a result that the model reads. */
  readonly run: (input: unknown) => Effect.Effect<{ readonly content: string; readonly isError: boolean }>
}

/** How a tool is written: its input is checked against `schema`, and its failure is a result for the model. */
interface Definition<Input> {
  readonly name: string
  readonly description: string
  /** Of a JSON object. */
  readonly schema: z.ZodType<Input>
  readonly run: (input: Input) => Effect.Effect<string, ToolFailed | OverlayError>
}

/**
 * Makes a tool whose input is checked before it runs. Whatever goes wrong is a result for the model, except that the
 * workspaces' disk is away: that ends the attempt, as a defect.
 */
export const define = <Input>({ name, description, schema, run }: Definition<Input>): Tool => ({
  name,
  description,
  schema,
  run: (input) => {
    const checked = schema.safeParse(input)
    if (!checked.success) return Effect.succeed({ content: presented(z.prettifyError(checked.error)), isError: true })
    return run(checked.data).pipe(
      Effect.match({
        onSuccess: (content) => ({ content: presented(content), isError: false }),
        onFailure: (error) => ({ content: presented(messageOf(error)), isError: true })
      }),
      // the run goes on without a broken tool, but not without the workspaces' disk
      Effect.catchDefect((defect) =>
        defect instanceof WorkspacesUnavailable
          ? Effect.die(defect)
          : Effect.as(
              Effect.annotateLogs(Effect.logError("a tool of an agent failed", kindOf(defect)), { tool: name }),
              {
                content: `${name} failed for a reason of its own (${kindOf(defect)}). Try something else.`,
                isError: true
              }
            )
      )
    )
  }
})

/** Characters of one answer. Tools bound theirs to less; this bound is for long paths and messages. */
export const longestAnswer = 262_144

/** Within bounds, and without half characters, which no text of the log may hold. */
const presented = (content: string) =>
  (content.length <= longestAnswer ? content : `${content.slice(0, longestAnswer)}\n[the rest was cut]`).toWellFormed()

/** The kind of what was thrown, without its message, which may quote what someone wrote. */
const kindOf = (defect: unknown) => (defect instanceof Error ? defect.name : typeof defect)

const messageOf = (error: ToolFailed | OverlayError) =>
  error._tag === "WorkspaceFull" ? `${error.message} Nothing was changed.` : error.message

/** An object schema that also takes `path` for `file_path`, as models write either. */
export const withFilePath = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((input) => {
    if (typeof input !== "object" || input === null || "file_path" in input || !("path" in input)) return input
    const { path, ...rest } = input
    return { ...rest, file_path: path }
  }, z.object(shape))
