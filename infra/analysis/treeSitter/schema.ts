import type { JsonObject } from "#ports/SourceAnalysis.ts"

/** A parameter or field. */
export interface Property {
  readonly name: string
  readonly schema: JsonObject
  readonly required: boolean
}

/** A JSON schema of an object; no `required` when nothing is. */
export const objectSchema = (properties: ReadonlyArray<Property>): JsonObject => {
  const required = properties.filter(({ required }) => required).map(({ name }) => name)
  return {
    type: "object",
    // A parameter may be called `__proto__`.
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 ? { required } : {})
  }
}

/** The schema of a value that fulfils all of these: the fields of all, or `{}` if the fields of one are not known. */
export const intersectionSchema = (schemas: ReadonlyArray<JsonObject>): JsonObject => {
  const parts = schemas.filter((schema) => !isEmpty(schema))
  if (parts.length <= 1) return parts[0] ?? {}
  if (!parts.every((schema) => schema["type"] === "object" && schema["properties"] !== undefined)) return {}
  const required = new Set(parts.flatMap((schema) => (schema["required"] as ReadonlyArray<string> | undefined) ?? []))
  const properties = new Map(parts.flatMap((schema) => Object.entries(schema["properties"] as JsonObject)))
  return objectSchema(
    [...properties].map(([name, schema]) => ({ name, schema: schema as JsonObject, required: required.has(name) }))
  )
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

/** The schema of one of these values, with their type if they have one in common. */
export const literalsSchema = (values: ReadonlyArray<unknown>): JsonObject => {
  const types = new Set(values.map(typeOf))
  if (values.length === 0) return {}
  return types.size === 1 ? { type: [...types][0]!, enum: values } : { enum: values }
}

const isEmpty = (schema: JsonObject): boolean => Object.keys(schema).length === 0
const isPlain = ({ type, ...rest }: JsonObject): boolean => typeof type === "string" && isEmpty(rest)
const isEnum = (schema: JsonObject): schema is { readonly enum: ReadonlyArray<unknown> } =>
  Array.isArray(schema["enum"]) && Object.keys(schema).every((key) => key === "type" || key === "enum")

/** The schema of any of these, as short as JSON schema allows. An open one makes all open. */
export const unionSchema = (schemas: ReadonlyArray<JsonObject>): JsonObject => {
  const flat = schemas.flatMap(
    (schema): ReadonlyArray<JsonObject> =>
      Array.isArray(schema["anyOf"])
        ? schema["anyOf"]
        : Array.isArray(schema["type"])
          ? schema["type"].map((type) => ({ type }))
          : [schema]
  )
  const distinct = [...new Map(flat.map((schema) => [JSON.stringify(schema), schema])).values()]
  if (distinct.length === 0 || distinct.some(isEmpty)) return {}
  if (distinct.length === 1) return distinct[0]!
  if (distinct.every(isPlain)) return { type: distinct.map(({ type }) => type) }
  if (distinct.every((schema) => isEnum(schema) || schema["type"] === "null")) {
    return literalsSchema(distinct.flatMap((schema) => (isEnum(schema) ? schema.enum : [null])))
  }
  return { anyOf: distinct }
}

/** The same schema, or null. */
export const nullable = (schema: JsonObject): JsonObject => unionSchema([schema, { type: "null" }])
