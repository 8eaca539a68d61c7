import { type ZodType, z } from "zod"
import type { Form } from "./LanguageModel.ts"

/** JSON Schema of an object, as every provider's API takes it. */
export interface ObjectSchema {
  readonly type: "object"
  readonly [key: string]: unknown
}

const written = new WeakMap<Form, ObjectSchema>()

/** A form's JSON schema, made once: all turns of a run have the same forms. */
export const formSchema = (form: Form): ObjectSchema => {
  const before = written.get(form)
  if (before !== undefined) return before
  const schema = z.toJSONSchema(form.schema as ZodType, { reused: "ref" }) as ObjectSchema
  written.set(form, schema)
  return schema
}
