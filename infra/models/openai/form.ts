import type { ChatCompletionFunctionTool } from "openai/resources"
import { formSchema } from "#ports/formSchema.ts"
import type { Form } from "#ports/LanguageModel.ts"

/** A form as a function that the model may call. */
export const toolOf = (form: Form): ChatCompletionFunctionTool => ({
  type: "function",
  function: { name: form.name, description: form.description, parameters: formSchema(form) }
})
