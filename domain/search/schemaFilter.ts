/** A JSON schema, or anything that stands where one should. */
type Json = unknown
type JsonObject = { readonly [key: string]: Json }

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The type of a value, as JSON schema names it. `null` is left out: whether something may be missing is another
 * question.
 */
type Kind = "string" | "number" | "integer" | "boolean" | "object" | "array"
const kinds: ReadonlyArray<string> = ["string", "number", "integer", "boolean", "object", "array"]

/** One way to satisfy a schema. */
interface Shape {
  /** `undefined`: any. */
  readonly kind: Kind | undefined
  readonly properties: ReadonlyMap<string, Json>
  readonly required: ReadonlyArray<string>
  readonly items: Json
}

const kindOf = (value: Json): Kind | undefined => {
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return kinds.includes(typeof value) ? (typeof value as Kind) : undefined
}

const list = (value: Json): ReadonlyArray<Json> => (Array.isArray(value) ? value : value === undefined ? [] : [value])

const alternatives = ["anyOf", "oneOf"] as const

/** How many ways to satisfy one schema, and levels of objects and arrays, are looked at: what is beyond fits. */
const mostShapes = 16
const deepest = 8

/** How many pairs of shapes are compared for one snippet: nested alternatives multiply, and what is beyond fits. */
const mostCompared = 10_000

/** How many pairs may still be compared. */
interface Left {
  pairs: number
}

/**
 * All ways to satisfy a schema. What it does not say, or says with keywords that are not read here, may be anything.
 */
const shapesOf = (schema: Json, depth = 0): ReadonlyArray<Shape> => {
  if (!isObject(schema) || depth > deepest)
    return [{ kind: undefined, properties: new Map(), required: [], items: undefined }]
  const branches = alternatives.flatMap((name) => list(schema[name]))
  if (branches.length > 0 && schema["type"] === undefined)
    return branches
      .filter((one) => !isNull(one))
      .slice(0, mostShapes)
      .flatMap((one) => shapesOf(one, depth + 1))
      .slice(0, mostShapes)
  const properties = new Map(Object.entries(isObject(schema["properties"]) ? schema["properties"] : {}))
  const named = Array.isArray(schema["required"]) ? (schema["required"] as ReadonlyArray<Json>) : []
  const required = [...new Set(named.filter((name) => typeof name === "string"))]
  const rest = { properties, required, items: schema["items"] }
  const values = "const" in schema ? [schema["const"]] : list(schema["enum"])
  const said =
    schema["type"] === undefined
      ? values.map(kindOf)
      : list(schema["type"]).flatMap((type) => (kinds.includes(String(type)) ? [type as Kind] : []))
  const known = [...new Set(said.filter((kind) => kind !== undefined))]
  return known.length === 0 ? [{ kind: undefined, ...rest }] : known.map((kind) => ({ kind, ...rest }))
}

const isNull = (schema: Json): boolean => isObject(schema) && schema["type"] === "null"

/** Properties that must be there: the required ones or, if none are required, all. */
const asked = ({ properties, required }: Shape): ReadonlyArray<string> =>
  required.length > 0 ? required : [...properties.keys()]

const takes = (taken: Shape, given: Shape, depth: number, left: Left): boolean => {
  if (left.pairs-- <= 0) return true
  if (taken.kind === undefined || given.kind === undefined) return true
  if (given.kind !== taken.kind && !(given.kind === "integer" && taken.kind === "number")) return false
  if (given.kind === "array") return compatible(given.items, taken.items, depth + 1, left)
  // an object schema without properties takes any object
  if (given.kind === "object" && taken.properties.size > 0) return hasAll(given, taken, depth, left)
  return true
}

const hasAll = (given: Shape, taken: Shape, depth: number, left: Left): boolean =>
  asked(given).every(
    (name) =>
      taken.properties.has(name) && compatible(given.properties.get(name), taken.properties.get(name), depth + 1, left)
  )

/** Whether some value that one schema describes may be given where another one is expected. */
const compatible = (given: Json, taken: Json, depth: number, left: Left): boolean => {
  if (depth > deepest || left.pairs <= 0) return true
  const theirs = shapesOf(taken)
  return shapesOf(given).some((shape) => theirs.some((their) => takes(their, shape, depth, left)))
}

/** A filter on snippets, by the input that a caller can give. */
export interface SchemaFilter {
  /** Names that a snippet's input schema must describe at its top. */
  readonly names: ReadonlyArray<string>
  /** Whether a snippet with this input schema can be called with that input. */
  readonly accepts: (inputSchema: Json) => boolean
}

/**
 * Reads a filter: every `required` property, or every property if none is required, must be in the snippet's input
 * schema with a compatible type. An integer fits a number; of a list of types or of `anyOf` one is enough, and `null`
 * among them is ignored; what has no type fits any. The same holds inside objects and arrays. `undefined` if the filter
 * asks for nothing.
 */
export const schemaFilter = (schema: JsonObject): SchemaFilter | undefined => {
  const [whole] = shapesOf({ ...schema, type: "object" })
  const names = asked(whole!)
  if (names.length === 0) return undefined
  return {
    names,
    accepts: (inputSchema) => {
      if (!isObject(inputSchema)) return false
      const left: Left = { pairs: mostCompared }
      return shapesOf({ ...inputSchema, type: "object" }).some((taken) => hasAll(whole!, taken, 0, left))
    }
  }
}
