import type { Node } from "web-tree-sitter"

/** A function, method or type that a file declares at its top level or in a type there. */
export interface Declaration {
  readonly name: string
  readonly kind: "function" | "type"
  /** The type that a method belongs to; `null` at the top level. */
  readonly owner: string | null
  readonly isPublic: boolean
  readonly isDefault: boolean
  /** With its decorators, `export` and annotations. */
  readonly outer: Node
  /** From its own keyword or name on. */
  readonly inner: Node
  /** What has the parameters and the body: `inner`, or the function that a constant holds. */
  readonly node: Node
  /** The comments, decorators and attributes directly before `outer`, with nothing else between, from the top. */
  readonly leading: ReadonlyArray<Node>
}

// Node types of all grammars together: where two grammars share a name they mean the same.
const functionTypes = new Set(
  `function_definition function_declaration generator_function_declaration function_item method singleton_method
   method_declaration method_definition constructor_declaration local_function_statement`.split(/\s+/)
)
const typeTypes = new Set(
  `class_definition class_declaration abstract_class_declaration class class_specifier struct_specifier struct_item
   trait_item impl_item record_declaration struct_declaration`.split(/\s+/)
)
/** What is inside of these counts as being outside. */
const wrapperTypes = new Set(
  `namespace_declaration file_scoped_namespace_declaration namespace_definition internal_module module
   template_declaration linkage_specification declaration_list statement_block`.split(/\s+/)
)
const functionValues = new Set(["arrow_function", "function_expression", "function", "generator_function", "lambda"])
/** Class fields that may hold a function. */
const fieldTypes = new Set(["public_field_definition", "field_definition"])

/** Declarations that are looked at in one file: bounds what a generated file costs. */
const most = 500
/** Levels of wrappers (namespaces in namespaces) that are opened. */
const deepest = 6

const leads = /comment|^decorator$|^attribute_item$/
/** Leading nodes that are kept. */
const mostLeading = 100

const childrenOf = (node: Node): ReadonlyArray<Node> => node.namedChildren.filter((child) => child !== null)

const nameOf = (node: Node): string => {
  // An `impl` in Rust is called after the type that it is for.
  const named = node.childForFieldName(node.type === "impl_item" ? "type" : "name")
  if (named !== null) return named.text
  // C and C++: the name is at the bottom of the declarator.
  let declarator = node.childForFieldName("declarator")
  for (let depth = 0; declarator !== null && depth < 8; depth++) {
    const inner = declarator.childForFieldName("declarator")
    if (inner === null) return declarator.text
    declarator = inner
  }
  return ""
}

const modifiersOf = (node: Node): string =>
  childrenOf(node)
    .filter(({ type }) => type === "modifiers" || type === "modifier" || type === "visibility_modifier")
    .map(({ text }) => text)
    .join(" ")

const isPublicIn = (language: string, name: string, node: Node, exported: boolean): boolean => {
  switch (language) {
    case "python":
      return !name.startsWith("_")
    case "go":
      return /^\p{Lu}/u.test(name)
    case "rust":
      return modifiersOf(node).startsWith("pub") || node.type === "impl_item"
    case "java":
    case "csharp":
    case "php":
      return !/\b(?:private|protected)\b/.test(modifiersOf(node))
    case "typescript":
    case "javascript":
      return exported
    default:
      return true
  }
}

/** Names that a CommonJS or ES module exports in statements of their own: `module.exports = { a }`, `export { a }`. */
const exportedNames = (root: Node): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const child of childrenOf(root)) {
    const listed = child.type === "export_statement" && child.childForFieldName("declaration") === null
    if (!listed && !(child.type === "expression_statement" && /^(?:module\.)?exports\b/.test(child.text))) continue
    for (const [name] of child.text.slice(0, 5_000).matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) names.add(name)
  }
  return names
}

/** What a file declares, in order of the text; methods follow their type. */
export const declarationsOf = (root: Node, language: string): ReadonlyArray<Declaration> => {
  const found: Array<Declaration> = []
  const exported = exportedNames(root)

  let leading: ReadonlyArray<Node> = []

  const add = (kind: Declaration["kind"], name: string, outer: Node, inner: Node, node: Node, owner: string | null) => {
    const isExported = outer.type === "export_statement" || exported.has(name)
    const isDefault = outer.type === "export_statement" && /^export\s+default\b/.test(outer.text.slice(0, 40))
    const isPublic = isPublicIn(language, name, inner, isExported || owner !== null)
    found.push({
      name: name === "" && isDefault ? "default" : name,
      kind,
      owner,
      isPublic,
      isDefault,
      outer,
      inner,
      node,
      leading
    })
  }

  const visitAll = (parent: Node, owner: string | null, depth: number): void => {
    let before: Array<Node> = []
    for (const child of childrenOf(parent)) {
      if (found.length >= most) return
      leading = before
      visit(child, child, owner, depth)
      if (!leads.test(child.type)) before = []
      else before = [...before.slice(1 - mostLeading), child]
    }
  }

  const visit = (node: Node, outer: Node, owner: string | null, depth: number): void => {
    if (found.length >= most || depth > deepest) return
    if (functionTypes.has(node.type)) {
      const receiver = language === "go" ? node.childForFieldName("receiver") : null
      const type =
        receiver === null
          ? owner
          : (/(?<!\w)(\w+) ?\)$/.exec(receiver.text.slice(-300).replace(/\s+/g, " "))?.[1] ?? owner)
      add("function", nameOf(node), outer, node, node, type)
    } else if (typeTypes.has(node.type)) {
      const name = nameOf(node)
      add("type", name, outer, node, node, owner)
      const body = node.childForFieldName("body")
      if (body !== null && owner === null) visitAll(body, name, depth + 1)
    } else if (node.type === "decorated_definition") {
      const definition = node.childForFieldName("definition")
      if (definition !== null) visit(definition, outer, owner, depth)
    } else if (node.type === "export_statement") {
      const declared = node.childForFieldName("declaration") ?? node.childForFieldName("value")
      if (declared !== null && functionValues.has(declared.type))
        add("function", nameOf(declared), node, declared, declared, owner)
      else if (declared !== null) visit(declared, node, owner, depth)
    } else if (node.type === "lexical_declaration" || node.type === "variable_declaration") {
      for (const declarator of childrenOf(node)) {
        const value = declarator.childForFieldName("value")
        if (value !== null && functionValues.has(value.type))
          add("function", nameOf(declarator), outer, node, value, owner)
      }
    } else if (node.type === "expression_statement") {
      const assignment = node.namedChild(0)
      const right = assignment?.childForFieldName("right") ?? null
      const left = assignment?.childForFieldName("left")?.text ?? ""
      const name = (language === "python" ? /^(\w+)$/ : /^(?:module\.)?exports\.([\w$]+)$/).exec(left)?.[1]
      if (right !== null && name !== undefined && functionValues.has(right.type))
        add("function", name, outer, node, right, owner)
    } else if (fieldTypes.has(node.type)) {
      const value = node.childForFieldName("value")
      const name = (node.childForFieldName("name") ?? node.childForFieldName("property"))?.text ?? ""
      if (value !== null && functionValues.has(value.type)) add("function", name, outer, node, value, owner)
    } else if (language === "ruby" && node.type === "call") {
      // `private def name`
      const given = node.childForFieldName("arguments")
      for (const child of given === null ? [] : childrenOf(given))
        if (child.type === "method" || child.type === "singleton_method") visit(child, outer, owner, depth + 1)
    } else if (wrapperTypes.has(node.type)) {
      const body = node.childForFieldName("body")
      visitAll(body ?? node, owner, depth + 1)
    }
  }

  visitAll(root, null, 0)
  return found.filter(({ name }) => name !== "")
}
