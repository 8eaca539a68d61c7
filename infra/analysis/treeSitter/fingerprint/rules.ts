import type { Scope } from "./Scope.ts"
import { childAt, type Syntax } from "./Syntax.ts"

/** How a node binds names, in a language that declares them as it goes. */
export interface Binder {
  /** Fields that hold the names; `"*"`: all children. */
  readonly names: ReadonlyArray<string> | "*"
  /** Fields that are read before the names are known. */
  readonly first?: ReadonlyArray<string>
  /** Binds only when this token is there: `:=`. */
  readonly token?: string
}

/** Which names of a language are local to a function. */
export interface Rules {
  readonly scopes: ReadonlySet<string>
  /** Names that a scope has from its start. */
  readonly declare?: (node: Syntax, scope: Scope) => void
  readonly binders?: { readonly [type: string]: Binder }
  /** When a declared name is new: always, if its own scope has no such name, or if no scope in sight has one. */
  readonly isNew?: "always" | "in-scope" | "in-sight"
  /** Whether an identifier names a member, a keyword, a label: nothing that a scope declares. */
  readonly isName: (node: Syntax, parent: Syntax, at: number) => boolean
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Left sides that name no variable of their own. */
const places =
  /^(?:attribute|subscript|member_expression|subscript_expression|selector_expression|index_expression|call|element_reference|field_expression|scoped_identifier|modifiers|decorator|attribute_item)$/
/** Patterns that begin with the name of a type or a keyword. */
const headed = /^(?:keyword_pattern|class_pattern|record_pattern)$/
const notBound = new Set(["type", "right", "key", "condition", "default_value", "object"])

/** The identifiers that a pattern, a parameter or a left side declares. */
export const boundIn = (node: Syntax, visit: (name: string) => void): void => {
  if (node.type === "identifier") visit(node.text)
  if (places.test(node.type)) return
  const hasDefault = /_parameter$|_declarator$/.test(node.type)
  for (const [at, child] of node.children.entries()) {
    if (child.field !== null && notBound.has(child.field)) continue
    if ((child.field === "value" && hasDefault) || (at === 0 && headed.test(node.type))) continue
    boundIn(child, visit)
  }
}

const parented = (text: string) => {
  const known = words(text)
  return (node: Syntax, parent: Syntax): boolean => known.has(`${parent.type}.${node.field ?? ""}`)
}

const pythonFunctions = words("function_definition lambda")
const comprehensions = words("list_comprehension set_comprehension dictionary_comprehension generator_expression")

/** Declares the names that a Python function's body binds anywhere: they are local from its first line on. */
const declarePython = (node: Syntax, scope: Scope): void => {
  const bind = (name: string) => scope.names.has(name) || scope.bind(name)
  const global = new Set<string>()
  const outer = new Set<string>()
  const collect = (one: Syntax, inComprehension: boolean): void => {
    if (one.type === "function_definition" || one.type === "class_definition") {
      const name = childAt(one, "name")
      if (name !== undefined) bind(name.text)
      return
    }
    if (one.type === "lambda") return
    const within = inComprehension || comprehensions.has(one.type)
    if (one.type === "global_statement") boundIn(one, (name) => global.add(name))
    else if (one.type === "nonlocal_statement") boundIn(one, (name) => outer.add(name))
    else if (one.type === "named_expression" || one.type === "aliased_import") {
      const name = childAt(one, one.type === "aliased_import" ? "alias" : "name")
      if (name !== undefined) bind(name.text)
    } else if (!within && /^(?:assignment|augmented_assignment|for_statement)$/.test(one.type)) {
      const left = childAt(one, "left")
      if (left !== undefined) boundIn(left, bind)
    } else if (one.type === "as_pattern") boundIn(one.children.at(-1)!, bind)
    else if (one.type === "case_pattern") boundIn(one, bind)
    for (const child of one.children) collect(child, within)
  }
  if (comprehensions.has(node.type)) {
    for (const child of node.children) {
      const left = child.type.endsWith("for_in_clause") ? childAt(child, "left") : undefined
      if (left !== undefined) boundIn(left, bind)
    }
    return
  }
  const parameters = childAt(node, "parameters")
  if (parameters !== undefined) boundIn(parameters, bind)
  const body = childAt(node, "body")
  if (body !== undefined) collect(body, false)
  for (const name of outer) scope.names.delete(name)
  for (const name of global) scope.names.set(name, null)
  // A class's names are reached through the class.
  if (node.type === "class_definition") for (const name of scope.names.keys()) scope.names.set(name, null)
}

const ecmaFunctions = words(
  `function_declaration generator_function_declaration function_expression generator_function arrow_function
   method_definition`
)

const declareEcma = (node: Syntax, scope: Scope): void => {
  const bind = (name: string) => scope.bind(name)
  const bound = (one: Syntax | undefined) => one !== undefined && boundIn(one, bind)
  const declarators = (one: Syntax) => {
    for (const child of one.children) if (child.type === "variable_declarator") bound(childAt(child, "name"))
  }
  const lexical = (one: Syntax) => {
    if (one.type === "lexical_declaration") declarators(one)
    else if (/^(?:generator_)?function_declaration$/.test(one.type)) bound(childAt(one, "name"))
    else if (/^switch_(?:case|default)$/.test(one.type)) for (const child of one.children) lexical(child)
  }
  const hoisted = (one: Syntax): void => {
    if (ecmaFunctions.has(one.type)) return
    if (one.type === "variable_declaration") declarators(one)
    if (one.type === "for_in_statement" && childAt(one, "kind")?.type === "var") bound(childAt(one, "left"))
    for (const child of one.children) hoisted(child)
  }
  if (ecmaFunctions.has(node.type)) {
    if (node.type === "function_expression" || node.type === "generator_function") bound(childAt(node, "name"))
    bound(childAt(node, "parameters"))
    const body = childAt(node, "body")
    if (body !== undefined) hoisted(body)
  } else if (node.type === "for_in_statement") {
    const kind = childAt(node, "kind")?.type
    if (kind === "let" || kind === "const") bound(childAt(node, "left"))
  } else if (node.type === "catch_clause") bound(childAt(node, "parameter"))
  else for (const child of node.children) lexical(child)
}

const ecma: Rules = {
  scopes: new Set([
    ...ecmaFunctions,
    ...words("statement_block for_statement for_in_statement catch_clause switch_body class_static_block")
  ]),
  declare: declareEcma,
  isName: () => false
}

const inToken = (parent: Syntax, at: number): boolean =>
  parent.type === "token_tree" &&
  (/^(?:\.|::)$/.test(parent.children[at - 1]?.text ?? "") || /^(?:!|::)$/.test(parent.children[at + 1]?.text ?? ""))

const javaNames = parented(
  `method_invocation.name field_access.field method_declaration.name element_value_pair.key marker_annotation.name
   annotation.name labeled_statement. break_statement. continue_statement. scoped_identifier.name
   constructor_declaration.name class_declaration.name`
)
const rustNames = parented(
  `scoped_identifier.name scoped_identifier.path macro_invocation.macro label. lifetime. attribute. function_item.name
   const_item.name static_item.name use_declaration.argument scoped_use_list.path use_list. use_as_clause.path
   use_as_clause.alias`
)
const rubyNames = parented("call.method method.name singleton_method.name alias.name alias.alias undef.")
const pythonNames = parented("attribute.attribute keyword_argument.name dotted_name.")

export const rules: { readonly [language: string]: Rules } = {
  python: {
    scopes: new Set([...pythonFunctions, ...comprehensions, "class_definition"]),
    declare: declarePython,
    isName: (node, parent, at) => pythonNames(node, parent) || (parent.type === "keyword_pattern" && at === 0)
  },
  typescript: ecma,
  javascript: ecma,
  go: {
    scopes: words(
      `function_declaration method_declaration func_literal block if_statement for_statement expression_switch_statement
       type_switch_statement expression_case type_case default_case communication_case`
    ),
    binders: {
      parameter_declaration: { names: ["name"] },
      variadic_parameter_declaration: { names: ["name"] },
      short_var_declaration: { names: ["left"], first: ["right"] },
      var_spec: { names: ["name"], first: ["type", "value"] },
      const_spec: { names: ["name"], first: ["type", "value"] },
      range_clause: { names: ["left"], first: ["right"], token: ":=" },
      receive_statement: { names: ["left"], first: ["right"], token: ":=" },
      type_switch_statement: { names: ["alias"], first: ["initializer", "value"] }
    },
    isNew: "in-scope",
    isName: () => false
  },
  java: {
    scopes: words(
      `method_declaration constructor_declaration compact_constructor_declaration lambda_expression block for_statement
       enhanced_for_statement try_with_resources_statement catch_clause switch_block_statement_group switch_rule class_body`
    ),
    binders: {
      formal_parameter: { names: ["name"] },
      spread_parameter: { names: "*" },
      catch_formal_parameter: { names: ["name"] },
      resource: { names: ["name"], first: ["value"] },
      variable_declarator: { names: ["name"], first: ["value"] },
      enhanced_for_statement: { names: ["name"], first: ["value"] },
      lambda_expression: { names: ["parameters"] },
      instanceof_expression: { names: ["name"], first: ["left"] },
      type_pattern: { names: "*" },
      record_pattern_component: { names: "*" }
    },
    isNew: "always",
    isName: (node, parent, at) =>
      javaNames(node, parent) || (parent.type === "method_reference" && parent.children[at - 1]?.text === "::")
  },
  rust: {
    scopes: words("function_item closure_expression block match_arm if_expression while_expression for_expression"),
    binders: {
      parameter: { names: ["pattern"] },
      closure_parameters: { names: "*" },
      let_declaration: { names: ["pattern"], first: ["type", "value", "alternative"] },
      let_condition: { names: ["pattern"], first: ["value"] },
      for_expression: { names: ["pattern"], first: ["value"] },
      match_arm: { names: ["pattern"] }
    },
    isNew: "always",
    isName: (node, parent, at) => rustNames(node, parent) || inToken(parent, at)
  },
  ruby: {
    scopes: words("method singleton_method block do_block lambda class module singleton_class"),
    binders: {
      assignment: { names: ["left"], first: ["right"] },
      operator_assignment: { names: ["left"] },
      method_parameters: { names: "*" },
      block_parameters: { names: "*" },
      lambda_parameters: { names: "*" },
      for: { names: ["pattern"], first: ["value"] },
      exception_variable: { names: "*" },
      in_clause: { names: ["pattern"] },
      match_pattern: { names: ["pattern"], first: ["value"] },
      test_pattern: { names: ["pattern"], first: ["value"] }
    },
    isNew: "in-sight",
    isName: rubyNames
  }
}
