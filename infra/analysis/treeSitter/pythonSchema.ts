import type { Node } from "web-tree-sitter"
import { beginningOf } from "#domain/text/beginningOf.ts"
import { withoutEnd } from "#domain/text/withoutEnd.ts"
import type { JsonObject } from "#ports/SourceAnalysis.ts"
import type { Declaration } from "./declarations.ts"
import { literalsSchema, nullable, objectSchema, type Property, unionSchema } from "./schema.ts"

/**
 * How deep types in types are followed, and how many in one file: names could turn a short file into an exponential
 * schema.
 */
const deepest = 20
const most = 500

const simple: { readonly [name: string]: JsonObject } = {
  str: { type: "string" },
  int: { type: "integer" },
  float: { type: "number" },
  bool: { type: "boolean" },
  None: { type: "null" },
  bytes: { type: "string" },
  complex: { type: "string" },
  Decimal: { type: "number" },
  Path: { type: "string" },
  UUID: { type: "string", format: "uuid" },
  date: { type: "string", format: "date" },
  datetime: { type: "string", format: "date-time" },
  dict: { type: "object" },
  Dict: { type: "object" },
  Mapping: { type: "object" },
  defaultdict: { type: "object" },
  Counter: { type: "object" },
  list: { type: "array" },
  List: { type: "array" },
  Sequence: { type: "array" },
  Iterable: { type: "array" },
  tuple: { type: "array" },
  Tuple: { type: "array" },
  set: { type: "array", uniqueItems: true }
}

const arrays = new Set([
  "list",
  "List",
  "Sequence",
  "Iterable",
  "Iterator",
  "Generator",
  "Collection",
  "deque",
  "Deque"
])
const sets = new Set(["set", "Set", "frozenset", "FrozenSet", "AbstractSet"])
const objects = new Set(["dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict", "DefaultDict"])
const transparent = new Set(["Annotated", "Final", "ClassVar", "Required", "NotRequired", "Awaitable", "Coroutine"])

const lastName = (text: string): string => text.slice(text.lastIndexOf(".") + 1)

const named = (node: Node): ReadonlyArray<Node> => node.namedChildren.filter((child) => child !== null)

const literalOf = (node: Node): unknown => {
  const inner = node.type === "type" ? node.namedChild(0) : node
  const text = inner?.text ?? ""
  if (inner?.type === "string") return withoutEnd(text.replace(/^[a-zA-Z]*["']+/, ""), `"'`)
  if (inner?.type === "none") return null
  if (text === "True" || text === "False") return text === "True"
  return Number.isFinite(Number(text)) ? Number(text) : text
}

const basesOf = (type: Node): ReadonlyArray<Node> => {
  const bases = type.childForFieldName("superclasses")
  return bases === null ? [] : named(bases)
}

/** The values of an enumeration; none if it numbers itself, because its names are no values. */
const membersOf = (type: Node): ReadonlyArray<unknown> => {
  const body = type.childForFieldName("body")
  const values = (body === null ? [] : named(body)).flatMap((statement) => {
    const assignment = statement.type === "expression_statement" ? statement.namedChild(0) : null
    const value = assignment?.type === "assignment" ? assignment.childForFieldName("right") : null
    return value === null || value === undefined ? [] : [value]
  })
  return values.every(({ type }) => /^(?:string|integer|float|true|false)$/.test(type)) ? values.map(literalOf) : []
}

/**
 * What the right side of a field's `=` says: `Field(...)` of pydantic and `field()` of a dataclass may say that there
 * is no default.
 */
const fieldDefault = (value: Node | null): { readonly hasDefault: boolean; readonly description: string } => {
  if (value === null) return { hasDefault: false, description: "" }
  const isField = value.type === "call" && /(?:^|\.)[Ff]ield$/.test(value.childForFieldName("function")?.text ?? "")
  if (!isField) return { hasDefault: true, description: "" }
  const given = value.childForFieldName("arguments")
  const [first, ...rest] = given === null ? [] : named(given)
  const all = first === undefined ? [] : [first, ...rest]
  const keyword = (name: string) => all.find((one) => one.childForFieldName("name")?.text === name)
  const isPositional = first !== undefined && first.type !== "keyword_argument" && first.text !== "..."
  const description = keyword("description")?.childForFieldName("value")
  return {
    hasDefault: isPositional || keyword("default") !== undefined || keyword("default_factory") !== undefined,
    description: description?.type === "string" ? beginningOf(String(literalOf(description)), 300) : ""
  }
}

/** Reads annotations of one file. Puts its classes that only list fields in place of their names. */
export const pythonSchemas = (declarations: ReadonlyArray<Declaration>) => {
  const classes = new Map(declarations.filter(({ kind }) => kind === "type").map((type) => [type.name, type]))

  /** Classes that are being read: where one contains itself, it is left open. */
  const reading = new Set<string>()
  let count = 0

  /** The fields that a class lists, with those of the file's classes that it extends. */
  const fieldsOf = (name: string, depth: number): ReadonlyArray<Property> => {
    const node = classes.get(name)?.node
    const body = node?.childForFieldName("body") ?? null
    if (node === undefined || body === null || reading.has(name) || depth > deepest || ++count > most) return []
    reading.add(name)
    const bases = basesOf(node)
    const properties = new Map<string, Property>()
    for (const { text } of bases) {
      for (const property of fieldsOf(lastName(text), depth + 1)) properties.set(property.name, property)
    }
    const areOptional = bases.some(({ text }) => /^total\s*=\s*False$/.test(text))
    for (const statement of named(body)) {
      const assignment = statement.type === "expression_statement" ? statement.namedChild(0) : null
      const type = assignment?.type === "assignment" ? assignment.childForFieldName("type") : null
      const field = assignment?.childForFieldName("left")?.text
      if (!type || field === undefined || /^(?:typing\.)?ClassVar\b/.test(type.text)) continue
      const isOptional = areOptional || /^(?:typing(?:_extensions)?\.)?NotRequired\b/.test(type.text)
      const { hasDefault, description } = fieldDefault(assignment!.childForFieldName("right"))
      const schema = schemaOf(type, depth + 1)
      properties.set(field, {
        name: field,
        schema: description === "" ? schema : { ...schema, description },
        required: !hasDefault && !isOptional
      })
    }
    reading.delete(name)
    return [...properties.values()]
  }

  const classSchema = (name: string, depth: number): JsonObject => {
    const node = classes.get(name)?.node
    if (node === undefined) return {}
    if (basesOf(node).some(({ text }) => /(?:^|\.)(?:Str|Int)?Enum$/.test(text))) return literalsSchema(membersOf(node))
    const properties = fieldsOf(name, depth)
    return properties.length === 0 ? {} : objectSchema(properties)
  }

  const subscripted = (name: string, given: ReadonlyArray<Node>, depth: number): JsonObject => {
    const first = given[0] === undefined ? {} : schemaOf(given[0], depth + 1)
    if (name === "Optional") return nullable(first)
    if (name === "Union") return unionSchema(given.map((one) => schemaOf(one, depth + 1)))
    if (name === "Literal") return literalsSchema(given.map(literalOf))
    if (name === "Coroutine") return given.length === 3 ? schemaOf(given[2]!, depth + 1) : {}
    if (transparent.has(name)) return first
    if (name === "tuple" || name === "Tuple") {
      if (given.some(({ text }) => text === "...")) return { type: "array", items: first }
      const items = given.map((one) => schemaOf(one, depth + 1))
      return { type: "array", prefixItems: items, minItems: items.length, maxItems: items.length }
    }
    if (sets.has(name)) return { type: "array", items: first, uniqueItems: true }
    if (arrays.has(name)) return { type: "array", items: first }
    if (!objects.has(name)) return {}
    const values = given[1] === undefined ? {} : schemaOf(given[1], depth + 1)
    return Object.keys(values).length === 0 ? { type: "object" } : { type: "object", additionalProperties: values }
  }

  const schemaOf = (node: Node, depth = 0): JsonObject => {
    if (depth > deepest || ++count > most) return {}
    switch (node.type) {
      case "type":
      case "parenthesized_expression":
        return node.namedChild(0) === null ? {} : schemaOf(node.namedChild(0)!, depth + 1)
      case "none":
        return { type: "null" }
      case "string": {
        // A forward reference; one that is more than a name is left open.
        const name = lastName(node.text.replace(/^["']|["']$/g, ""))
        return Object.hasOwn(simple, name) ? simple[name]! : classSchema(name, depth)
      }
      case "binary_operator":
      case "union_type":
        return unionSchema(named(node).map((one) => schemaOf(one, depth + 1)))
      case "generic_type": {
        const [name, parameters] = named(node)
        return subscripted(lastName(name?.text ?? ""), parameters === undefined ? [] : named(parameters), depth)
      }
      case "subscript": {
        const [name, ...given] = named(node)
        return subscripted(lastName(name?.text ?? ""), given, depth)
      }
      default: {
        const name = lastName(node.text)
        return Object.hasOwn(simple, name) ? simple[name]! : classSchema(name, depth)
      }
    }
  }

  const input = (callable: Node): JsonObject => {
    const parameters = callable.childForFieldName("parameters")
    const properties: Array<Property> = []
    for (const [at, node] of (parameters === null ? [] : named(parameters)).entries()) {
      const name =
        (node.childForFieldName("name") ?? (node.type === "identifier" ? node : node.namedChild(0)))?.text ?? ""
      const isReceiver = at === 0 && (name === "self" || name === "cls")
      if (isReceiver || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) || /splat|separator|comment/.test(node.type)) continue
      const type = node.childForFieldName("type")
      const schema = type === null ? {} : schemaOf(type)
      const optional = node.type.includes("default") || /^(?:typing\.)?Optional\b|\bNone\b/.test(type?.text ?? "")
      properties.push({ name, schema, required: !optional })
    }
    return objectSchema(properties)
  }

  const output = (callable: Node): JsonObject => {
    const type = callable.childForFieldName("return_type")
    return type === null ? {} : schemaOf(type)
  }

  return { input, output, fields: (name: string) => classSchema(name, 0) }
}
