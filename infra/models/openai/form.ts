import type { ChatCompletionFunctionTool } from "openai/resources"
import { type ZodType, z } from "zod"
import type { Form } from "#ports/LanguageModel.ts"

const written = new WeakMap<Form, ChatCompletionFunctionTool>()

/** A form as a function that the model may call: written once, for all turns of a run are told of the same. */
export const toolOf = (form: Form): ChatCompletionFunctionTool => {
  const before = written.get(form)
  if (before !== undefined) return before
  const { name, description, schema } = form
  const parameters = z.toJSONSchema(schema as ZodType, { reused: "ref" }) as { readonly [key: string]: unknown }
  const tool: ChatCompletionFunctionTool = { type: "function", function: { name, description, parameters } }
  written.set(form, tool)
  return tool
}
