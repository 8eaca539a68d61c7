import { Schema } from "effect"
import { thousands } from "#domain/text/thousands.ts"
import { fieldOf, mostTold } from "./invalid.ts"
import { nearest } from "./nearest.ts"
import type { FieldError } from "./Problem.ts"

/** The part of a JSON schema that is read here: known names, and the bounds of arrays and objects. */
interface Node {
  readonly $ref?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<Node>
  readonly properties?: { readonly [name: string]: Node }
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** What a body may have, as the API's document says it. */
export interface Shape {
  readonly schema: Node
  readonly definitions: { readonly [name: string]: Node }
}

/** The shape of a schema: its JSON schema, in which unknown fields are errors. */
export const shapeOf = (schema: Schema.Top): Shape =>
  Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }) as unknown as Shape

/** A body that has no fields. */
export const noFields: Shape = {
  schema: { type: "object", properties: {}, additionalProperties: false },
  definitions: {}
}

export interface Misfits {
  /** Of at most twenty places. */
  readonly errors: ReadonlyArray<FieldError>
  /** Fields that were sent and do nothing, and that the route lets pass. */
  readonly ignored: ReadonlyArray<string>
  /** An array or an object has too many parts: the search for misfits ended there. */
  readonly tooMany: boolean
}

/** The message for an unknown name. */
export const unknown = (name: string, known: ReadonlyArray<string>): string => {
  const near = nearest(name, known)
  if (near !== undefined) return `is no field of this; did you mean ${near}?`
  return known.length === 0 ? "is no field of this; expected none" : `is no field of this; expected ${known.join(", ")}`
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The fields of a body that its route does not know, and parts beyond the bounds. Runs before the body is decoded,
 * which would look at each part. `passes`: fields that may be sent although they do nothing, as paths with `*` for an
 * entry of an array.
 */
export const misfits = ({ schema, definitions }: Shape, value: unknown, passes: ReadonlySet<string>): Misfits => {
  const errors: Array<FieldError> = []
  const ignored = new Set<string>()

  const variants = (node: Node): ReadonlyArray<Node> => {
    if (node.$ref !== undefined) return variants(definitions[node.$ref.split("/").at(-1)!] ?? {})
    return node.anyOf === undefined ? [node] : node.anyOf.flatMap(variants)
  }
  const tell = (path: ReadonlyArray<string>, message: string) => errors.push({ field: fieldOf(path), message })

  /** Whether to go on. */
  const walk = (node: Node, given: unknown, path: ReadonlyArray<string>, pattern: string): boolean => {
    if (typeof given !== "object" || given === null) return true
    const type = Array.isArray(given) ? "array" : "object"
    const fitting = variants(node).find((one) => one.type === type)
    if (fitting === undefined) return true
    if (Array.isArray(given)) {
      const { items, maxItems } = fitting
      if (maxItems !== undefined && given.length > maxItems) {
        tell(path, `has ${thousands(given.length)} entries; expected at most ${thousands(maxItems)}`)
        return false
      }
      if (items === undefined) return true
      return given.every((one, index) => walk(items, one, [...path, String(index)], `${pattern}*.`))
    }
    return isObject(given) ? members(fitting, given, path, pattern) : true
  }

  const members = (
    node: Node,
    given: { readonly [name: string]: unknown },
    path: ReadonlyArray<string>,
    pattern: string
  ): boolean => {
    const { properties = {}, additionalProperties: others, maxProperties } = node
    const names = Object.keys(given)
    if (maxProperties !== undefined && names.length > maxProperties) {
      tell(path, `has ${thousands(names.length)} names; expected at most ${thousands(maxProperties)}`)
      return false
    }
    for (const name of names) {
      if (errors.length >= mostTold) return true
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      // null means the same as a missing field
      if (given[name] === null) continue
      if (passes.has(pattern + name)) ignored.add(fieldOf([...path, name]))
      else if (known === undefined && others === false) tell([...path, name], unknown(name, Object.keys(properties)))
      const next = known ?? (typeof others === "object" ? others : undefined)
      if (next !== undefined && !walk(next, given[name], [...path, name], `${pattern}${name}.`)) return false
    }
    return true
  }

  const tooMany = !walk(schema, value, [], "")
  return { errors, ignored: [...ignored], tooMany }
}
