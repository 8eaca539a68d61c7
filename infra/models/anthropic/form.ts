import type { Form } from "#ports/LanguageModel.ts"
import { schemaOf } from "../schemaOf.ts"

/** A form as a tool of the Messages API. */
export const toolOf = (form: Form) => ({
  name: form.name,
  description: form.description,
  input_schema: schemaOf(form)
})
