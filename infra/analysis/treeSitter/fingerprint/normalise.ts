import { childAt, type Syntax, textOf } from "./Syntax.ts"

/** Takes from a tree, by language, what layout alone decides: formatters may add and drop it. */

const leaf = (type: string, field: string | null, text: string, isNamed = true): Syntax => ({
  type,
  field,
  isNamed,
  text,
  children: []
})
const inner = (type: string, field: string | null, children: ReadonlyArray<Syntax>): Syntax => ({
  type,
  field,
  isNamed: true,
  text: "",
  children
})

const isEcma = (language: string) => language === "typescript" || language === "javascript"
const unescapedQuotes = (text: string) =>
  text.replace(/\\([\s\S])/g, (pair, one) => (one === "'" || one === '"' ? one : pair))

/** A plain string as a leaf, without its kind of quotes. */
const plainString = (node: Syntax, language: string): Syntax => {
  const last = node.children.length - 1
  const content = node.children.slice(1, last).map(textOf).join("")
  if (language !== "python") return leaf("string", node.field, unescapedQuotes(content))
  const prefix = /^[a-z]*/i
    .exec(node.children[0]?.text ?? "")![0]
    .toLowerCase()
    .replace("u", "")
  return leaf("string", node.field, `${prefix}"${prefix.includes("r") ? content : unescapedQuotes(content)}`)
}

/** Whether a statement is only a string: a docstring, or another string that does nothing. */
const isDocstring = ({ type, children }: Syntax): boolean =>
  type === "expression_statement" && children.length === 1 && children[0]!.type === "string"

const blocks = /block|body$|program|source_file|module|_list$|statements$/
const visibility = new Set(["public", "private", "protected"])
const closers = new Set([")", "]", "}", ">", "|"])
/** Nodes in which a trailing comma means something. */
const commaCounts = new Set(["subscript", "block_parameters", "token_tree"])

const isFormal = (child: Syntax, parent: Syntax, at: number, language: string): boolean => {
  const { type } = child
  if (type === ";" || type === "\n" || type === "visibility_modifier" || type === "accessibility_modifier") return true
  if (parent.type === "modifiers" && visibility.has(type)) return true
  if (type === "empty_statement") return blocks.test(parent.type)
  if (language === "python" && isDocstring(child)) return true
  if (type === ",") {
    if (/^(?:object_type|interface_body)$/.test(parent.type)) return true
    if (commaCounts.has(parent.type)) return false
    const next = parent.children[at + 1]
    return parent.children[at - 1]?.isNamed === true && (next === undefined || closers.has(next.type))
  }
  if (type !== "(" && type !== ")") return false
  if (language === "ruby") return /^(?:argument_list|method_parameters)$/.test(parent.type)
  return language === "python" && /^(?:tuple|tuple_pattern|import_from_statement|with_clause)$/.test(parent.type)
}

/** Nodes that mean the same with and without brackets. */
const alike: { readonly [type: string]: string } = { expression_list: "tuple", pattern_list: "tuple_pattern" }

const punned = (type: string, field: string | null, key: Syntax, value: Syntax): Syntax =>
  inner(type, field, [key, leaf(":", null, ":", false), value])

/** `{ a }` as `{ a: a }`, which it has to become when the local `a` is renamed. */
const unpunned = (node: Syntax, language: string): Syntax | undefined => {
  const { type, field, text, children } = node
  if (isEcma(language)) {
    const key = (name: string) => leaf("property_identifier", "key", name)
    if (type === "shorthand_property_identifier")
      return punned("pair", field, key(text), leaf("identifier", "value", text))
    if (type === "shorthand_property_identifier_pattern")
      return punned("pair_pattern", field, key(text), leaf("identifier", "value", text))
    // Its left side was rewritten as a pair already.
    const name = type === "object_assignment_pattern" ? childAt(childAt(node, "left")!, "key") : undefined
    if (name === undefined) return undefined
    const rest = children.slice(1)
    return punned(
      "pair_pattern",
      field,
      name,
      inner("assignment_pattern", "value", [leaf("identifier", "left", name.text), ...rest])
    )
  }
  if (language === "rust") {
    if (type === "shorthand_field_initializer")
      return punned(
        "field_initializer",
        field,
        leaf("field_identifier", "field", textOf(node)),
        leaf("identifier", "value", textOf(node))
      )
    const short = type === "field_pattern" ? childAt(node, "name") : undefined
    if (short?.type === "shorthand_field_identifier")
      return inner(type, field, [
        leaf("field_identifier", "name", short.text),
        leaf(":", null, ":", false),
        ...children.filter((child) => child !== short),
        leaf("identifier", "pattern", short.text)
      ])
  }
  if (language === "ruby" && (type === "pair" || type === "keyword_pattern") && childAt(node, "value") === undefined) {
    const key = childAt(node, "key")
    if (key?.type === "hash_key_symbol") return inner(type, field, [...children, leaf("identifier", "value", key.text)])
  }
  return undefined
}

const withArrowBrackets = (node: Syntax, language: string): Syntax => {
  const parameter = childAt(node, "parameter")
  if (node.type !== "arrow_function" || parameter === undefined) return node
  const bare = leaf("identifier", language === "typescript" ? "pattern" : null, parameter.text)
  const formal = inner("formal_parameters", "parameters", [
    leaf("(", null, "(", false),
    language === "typescript" ? inner("required_parameter", null, [bare]) : bare,
    leaf(")", null, ")", false)
  ])
  return { ...node, children: node.children.map((child) => (child === parameter ? formal : child)) }
}

/** `(a?.b).c` is not `a?.b.c`. */
const isOptionalChain = (node: Syntax): boolean => {
  for (let one: Syntax | undefined = node; one !== undefined; one = childAt(one, "object") ?? childAt(one, "function"))
    if (one.children.some(({ type }) => type === "optional_chain")) return true
  return false
}

/** The iterable of a comprehension's first `for` is read outside of it. */
const firstClause = "first_for_in_clause"
const isComprehension = /_comprehension$|^generator_expression$/

/** In a literal of a named type in Go, what stands before the colon is a field: `T{size: size}`. */
const withFields = (literal: Syntax): Syntax => {
  if (!/^(?:type_identifier|qualified_type|generic_type)$/.test(childAt(literal, "type")?.type ?? "")) return literal
  const within = (node: Syntax, path: ReadonlyArray<string>): Syntax => {
    const [step, ...rest] = path
    if (step === undefined) return node.type === "identifier" ? { ...node, type: "field_identifier" } : node
    const isStep = (child: Syntax) => child.type === step || child.field === step || step === "*"
    return { ...node, children: node.children.map((child) => (isStep(child) ? within(child, rest) : child)) }
  }
  return within(literal, ["literal_value", "keyed_element", "key", "*"])
}

/** A tree without what only layout and taste decide. */
export const normalised = (given: Syntax, language: string): Syntax => {
  const { type, field } = given
  const node = type === "composite_literal" ? withFields(given) : given
  if (node.children.length === 0) {
    if (/^(?:integer|float|number)$|(?:integer|float|int|imaginary)_literal$/.test(type))
      return { ...node, text: node.text.toLowerCase() }
    return unpunned(node, language) ?? node
  }
  if (type === "string" && (isEcma(language) || language === "python")) {
    if (!node.children.some((child) => child.type === "interpolation")) {
      const string = plainString(node, language)
      const isKey = isEcma(language) && field === "key" && /^[A-Za-z_$][\w$]*$/.test(string.text)
      return isKey ? { ...string, type: "property_identifier" } : string
    }
  }
  if (type === "string_start") return { ...node, text: `${/^[a-z]*/i.exec(node.text)![0].toLowerCase()}"` }
  if (type === "parenthesized_expression" && language !== "ruby") {
    const only = node.children.filter(({ isNamed }) => isNamed)
    if (only.length === 1 && !isOptionalChain(only[0]!)) return normalised({ ...only[0]!, field }, language)
  }
  const isTuple = language === "python" && Object.hasOwn(alike, type)
  if (language === "python" && type === "dotted_name" && field === null && node.children.length === 1) {
    // a capture: `case name:`
    return leaf("identifier", field, textOf(node))
  }
  const children = node.children
    .filter((child, at) => !isFormal(child, node, at, language))
    .map((child) => normalised(child, language))
    .filter((child) => child.type !== "modifiers" || child.children.length > 0)
  const clause = isComprehension.test(type) ? children.findIndex((child) => child.type === "for_in_clause") : -1
  if (clause >= 0) children[clause] = { ...children[clause]!, type: firstClause }
  const done = { ...node, type: isTuple ? alike[type]! : type, children }
  return unpunned(done, language) ?? withArrowBrackets(done, language)
}
