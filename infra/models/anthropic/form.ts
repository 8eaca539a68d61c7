import { type ZodType, z } from "zod"
import type { Form } from "#ports/LanguageModel.ts"

interface Tool {
  readonly name: string
  readonly description: string
  readonly input_schema: { readonly type: "object"; readonly [key: string]: unknown }
}

const written = new WeakMap<Form, Tool>()

/** A form as a tool of the Messages API: written once, for all turns of a run are told of the same. */
export const toolOf = (form: Form): Tool => {
  const before = written.get(form)
  if (before !== undefined) return before
  const { name, description, schema } = form
  const inputSchema = z.toJSONSchema(schema as ZodType, { reused: "ref" }) as Tool["input_schema"]
  const tool = { name, description, input_schema: inputSchema }
  written.set(form, tool)
  return tool
}
