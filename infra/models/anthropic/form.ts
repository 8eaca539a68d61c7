import { formSchema } from "#ports/formSchema.ts"
import type { Form } from "#ports/LanguageModel.ts"

/** A form as a tool of the Messages API. */
export const toolOf = (form: Form) => ({
  name: form.name,
  description: form.description,
  input_schema: formSchema(form)
})
