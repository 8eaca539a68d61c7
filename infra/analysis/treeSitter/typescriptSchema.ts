import type { Node } from "web-tree-sitter"
import type { JsonObject } from "#ports/SourceAnalysis.ts"
import { intersectionSchema, literalsSchema, objectSchema, type Property, unionSchema } from "./schema.ts"

/**
 * How deep types in types are followed, and how many in one file: names could turn a short file into an exponential
 * schema.
 */
const deepest = 20
const most = 500

const predefined: { readonly [name: string]: JsonObject } = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  object: { type: "object" },
  void: { type: "null" },
  undefined: { type: "null" },
  null: { type: "null" },
  bigint: { type: "integer" },
  Date: { type: "string", format: "date-time" },
  URL: { type: "string", format: "uri" },
  Object: { type: "object" },
  String: { type: "string" },
  Number: { type: "number" },
  Boolean: { type: "boolean" }
}

const arrays = new Set(["Array", "ReadonlyArray", "Iterable", "Set", "ReadonlySet", "AsyncIterable"])
const transparent = new Set(["Promise", "PromiseLike", "Readonly", "Awaited", "NonNullable"])

const named = (node: Node): ReadonlyArray<Node> => node.namedChildren.filter((child) => child !== null)

/** Reads type annotations of one file. Puts its interfaces and type aliases in place of their names. */
export const typescriptSchemas = (root: Node) => {
  const types = new Map<string, Node>()
  /** Named types that are being read: where one contains itself, it is left open. */
  const reading = new Set<string>()
  let count = 0
  for (const child of named(root)) {
    const declared = child.type === "export_statement" ? child.childForFieldName("declaration") : child
    const name = declared?.childForFieldName("name")?.text
    if (declared == null || name === undefined || declared.childForFieldName("type_parameters") !== null) continue
    if (declared.type === "interface_declaration" || declared.type === "enum_declaration") types.set(name, declared)
    const value = declared.type === "type_alias_declaration" ? declared.childForFieldName("value") : null
    if (value !== null) types.set(name, value)
  }

  const parentsOf = (declared: Node): ReadonlyArray<Node> =>
    named(declared)
      .filter(({ type }) => type === "extends_type_clause")
      .flatMap(named)

  /** The schema of an enumeration; `{}` if it counts or computes a value, which no caller could write. */
  const enumeration = (declared: Node): JsonObject => {
    const body = declared.childForFieldName("body")
    const members = body === null ? [] : named(body)
    const values = members.map((member) => member.childForFieldName("value"))
    if (!values.every((value) => value?.type === "string" || value?.type === "number")) return {}
    return literalsSchema(
      values.map((value) => (value!.type === "string" ? value!.text.slice(1, -1) : Number(value!.text)))
    )
  }

  const reference = (name: string, depth: number): JsonObject => {
    if (Object.hasOwn(predefined, name)) return predefined[name]!
    const body = types.get(name)
    if (body === undefined || reading.has(name)) return {}
    reading.add(name)
    const schema = schemaOf(body, depth + 1)
    reading.delete(name)
    return schema
  }

  const generic = (name: string, given: ReadonlyArray<Node>, depth: number): JsonObject => {
    const first = given[0] === undefined ? {} : schemaOf(given[0], depth + 1)
    if (arrays.has(name)) return { type: "array", items: first }
    if (transparent.has(name)) return first
    if (name === "Partial") {
      const { required: _, ...rest } = first
      return rest
    }
    if (name !== "Record" && name !== "Map") return {}
    const values = given[1] === undefined ? {} : schemaOf(given[1], depth + 1)
    return Object.keys(values).length === 0 ? { type: "object" } : { type: "object", additionalProperties: values }
  }

  const fields = (node: Node, depth: number): JsonObject => {
    const properties: Array<Property> = []
    let open: JsonObject | undefined
    for (const member of named(node)) {
      if (member.type === "index_signature") open = schemaOf(member.childForFieldName("type"), depth + 1)
      if (member.type !== "property_signature") continue
      const name = (member.childForFieldName("name")?.text ?? "").replace(/^["']|["']$/g, "")
      const optional = member.children.some((child) => child?.type === "?")
      properties.push({ name, schema: schemaOf(member.childForFieldName("type"), depth + 1), required: !optional })
    }
    return { ...objectSchema(properties), ...(open === undefined ? {} : { additionalProperties: open }) }
  }

  const literal = (node: Node | null): JsonObject => {
    if (node === null) return {}
    if (node.type === "null" || node.type === "undefined") return { type: "null" }
    if (node.type === "string") return literalsSchema([node.text.slice(1, -1)])
    if (node.type === "true" || node.type === "false") return literalsSchema([node.type === "true"])
    return Number.isFinite(Number(node.text)) ? literalsSchema([Number(node.text)]) : {}
  }

  const schemaOf = (node: Node | null, depth = 0): JsonObject => {
    if (node === null || depth > deepest || ++count > most) return {}
    switch (node.type) {
      case "type_annotation":
      case "parenthesized_type":
      case "readonly_type":
        return schemaOf(node.namedChild(0), depth + 1)
      case "predefined_type":
      case "type_identifier":
        return reference(node.text, depth)
      case "literal_type":
        return literal(node.namedChild(0))
      case "array_type":
        return { type: "array", items: schemaOf(node.namedChild(0), depth + 1) }
      case "tuple_type": {
        const items = named(node).map((item) => schemaOf(item, depth + 1))
        return { type: "array", prefixItems: items, minItems: items.length, maxItems: items.length }
      }
      case "union_type":
        return unionSchema(named(node).map((one) => schemaOf(one, depth + 1)))
      case "generic_type": {
        const given = node.childForFieldName("type_arguments")
        return generic(node.childForFieldName("name")?.text ?? "", given === null ? [] : named(given), depth)
      }
      case "object_type":
      case "interface_body":
        return fields(node, depth)
      case "enum_declaration":
        return enumeration(node)
      case "intersection_type":
        return intersectionSchema(named(node).map((one) => schemaOf(one, depth + 1)))
      case "interface_declaration": {
        const own = schemaOf(node.childForFieldName("body"), depth + 1)
        const parents = parentsOf(node)
        return parents.length === 0 ? own : intersectionSchema([...parents.map((one) => schemaOf(one, depth + 1)), own])
      }
      default:
        return {}
    }
  }

  /** `{ a, b: c = 1 }` without a type: its names are known. */
  const destructured = (pattern: Node): JsonObject =>
    objectSchema(
      named(pattern).flatMap((member): ReadonlyArray<Property> => {
        const hasDefault =
          member.type === "object_assignment_pattern" ||
          member.childForFieldName("value")?.type === "assignment_pattern"
        const key = member.childForFieldName("key") ?? member.childForFieldName("left") ?? member
        const isName = /^(?:shorthand_)?property_identifier(?:_pattern)?$/.test(key.type)
        return isName ? [{ name: key.text, schema: {}, required: !hasDefault }] : []
      })
    )

  const input = (callable: Node): JsonObject => {
    const parameters = callable.childForFieldName("parameters")
    const single = callable.childForFieldName("parameter")
    const properties: Array<Property> = single === null ? [] : [{ name: single.text, schema: {}, required: true }]
    for (const node of parameters === null ? [] : named(parameters)) {
      // JavaScript has the pattern itself, or an assignment of the default to it, in place of a parameter.
      const pattern = node.childForFieldName("pattern") ?? node.childForFieldName("left") ?? node
      if (/comment|decorator|^this$/.test(node.type) || /rest_pattern|^this$/.test(pattern.type)) continue
      const name = /_pattern$/.test(pattern.type) ? "options" : pattern.text
      const optional =
        node.type === "optional_parameter" ||
        node.type === "assignment_pattern" ||
        node.childForFieldName("value") !== null
      const type = node.childForFieldName("type")
      const schema = type === null && pattern.type === "object_pattern" ? destructured(pattern) : schemaOf(type)
      properties.push({ name, schema, required: !optional })
    }
    return objectSchema(properties)
  }

  return { input, output: (callable: Node): JsonObject => schemaOf(callable.childForFieldName("return_type")) }
}
