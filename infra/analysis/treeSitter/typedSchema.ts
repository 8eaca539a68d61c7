import type { Node } from "web-tree-sitter"
import type { JsonObject } from "#ports/SourceAnalysis.ts"
import { objectSchema, type Property } from "./schema.ts"
import { schemaOfText } from "./typeText.ts"

const named = (node: Node | null): ReadonlyArray<Node> =>
  node === null ? [] : node.namedChildren.filter((child) => child !== null)

/** Parameters that are no input of the caller's: a request's context, the receiver. */
const given = /^(?:\*?context\.Context|self)$/

const typed = (node: Node): ReadonlyArray<Property> => {
  const isRest = /^(?:variadic|spread)_parameter/.test(node.type)
  if (isRest || /comment|attribute|receiver|self_parameter/.test(node.type)) return []
  const type = node.childForFieldName("type")?.text ?? ""
  if (given.test(type)) return []
  const names = [...node.childrenForFieldName("name"), node.childForFieldName("pattern")].filter(
    (name) => name !== null
  )
  const schema = schemaOfText(type)
  const required = !/^(?:Option|Optional)\b/.test(type)
  return names
    .map((name) => name.text.replace(/^mut\s+/, ""))
    .filter((name) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && name !== "_")
    .map((name) => ({ name, schema, required }))
}

const ruby = (node: Node): ReadonlyArray<Property> => {
  if (/splat|block_parameter/.test(node.type)) return []
  const name = node.type === "identifier" ? node : node.childForFieldName("name")
  return name === null ? [] : [{ name: name.text, schema: {}, required: node.childForFieldName("value") === null }]
}

/** Schemas by the written types of Go, Java and Rust; Ruby's parameters have only names. */
export const typedSchemas = (language: string) => ({
  input: (callable: Node): JsonObject =>
    objectSchema(named(callable.childForFieldName("parameters")).flatMap(language === "ruby" ? ruby : typed)),

  output: (callable: Node): JsonObject => {
    const type =
      callable.childForFieldName("result") ??
      callable.childForFieldName("return_type") ??
      (language === "java" ? callable.childForFieldName("type") : null)
    if (type === null || language === "ruby") return {}
    if (type.type !== "parameter_list") return type.text === "error" ? {} : schemaOfText(type.text)
    // Go gives an error beside the result.
    const results = named(type).map((one) => (one.childForFieldName("type") ?? one).text)
    const values = results.filter((text) => text !== "error")
    return values.length === 1 ? schemaOfText(values[0]!) : {}
  }
})
