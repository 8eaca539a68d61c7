import type { JsonObject } from "#ports/SourceAnalysis.ts"
import type { Documentation, Said } from "./documentation.ts"
import { schemaOfText } from "./typeText.ts"

/** Types of documentation: `int, optional`, `{number}`. */
const typeText = ({ type }: Said): string =>
  type.replace(/,? ?(?:optional|default[\s\S]*)$/i, "").replace(/^\{|\}$/g, "")

const described = (schema: JsonObject, said: Said | undefined): JsonObject => {
  if (said === undefined) return schema
  const typed = Object.keys(schema).length === 0 ? schemaOfText(typeText(said)) : schema
  return said.description === "" ? typed : { ...typed, description: said.description }
}

/** `@param {string} options.name`: what documentation says of the fields of one parameter. */
const withFields = (name: string, schema: JsonObject, parameters: Documentation["parameters"]): JsonObject => {
  if (schema["type"] !== "object") return schema
  const within = [...parameters].filter(([path]) => path.startsWith(`${name}.`))
  if (within.length === 0) return schema
  const fields = new Map(within.map(([path, said]) => [path.slice(name.length + 1), said]))
  return describedInput(schema, { parameters: fields, result: undefined })
}

/**
 * Adds to the schema of a function's inputs what its documentation says of them; written types go before documented
 * ones.
 */
export const describedInput = (schema: JsonObject, { parameters }: Documentation): JsonObject => {
  const properties = schema["properties"] as JsonObject | undefined
  if (properties === undefined || parameters.size === 0) return schema
  const isOptional = (said: Said | undefined) => said !== undefined && /\boptional\b|=$/.test(said.type)
  const required = (schema["required"] as ReadonlyArray<string> | undefined)?.filter(
    (name) => !isOptional(parameters.get(name))
  )
  const { required: _, ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [
        name,
        withFields(name, described(one as JsonObject, parameters.get(name)), parameters)
      ])
    ),
    ...(required !== undefined && required.length > 0 ? { required } : {})
  }
}

/** The schema of a result, with what its documentation says of it. */
export const describedOutput = (schema: JsonObject, { result }: Documentation): JsonObject => described(schema, result)
