import { type ZodType, z } from "zod"
import type { Form } from "./LanguageModel.ts"

/** As every provider's API takes it: JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: "object"
  readonly [key: string]: unknown
}

const written = new WeakMap<Form, ObjectSchema>()

/** A form's JSON schema: written once, for all turns of a run are told of the same. */
export const formSchema = (form: Form): ObjectSchema => {
  const before = written.get(form)
  if (before !== undefined) return before
  const schema = z.toJSONSchema(form.schema as ZodType, { reused: "ref" }) as ObjectSchema
  written.set(form, schema)
  return schema
}
