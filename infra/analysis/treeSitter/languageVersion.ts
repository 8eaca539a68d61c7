import type { Node } from "web-tree-sitter"

/** Syntax that a language has only since a version, newest first: a node's type, and what else must hold of it. */
type Sign = readonly [version: string, type: string, holds?: (node: Node) => boolean]

const has = (token: string) => (node: Node) => node.children.some((child) => child?.type === token)
const starts = (text: string) => (node: Node) => node.text.startsWith(text)

const ecmaScript: ReadonlyArray<Sign> = [
  ["ES2022+", "class_static_block"],
  ["ES2022+", "private_property_identifier"],
  [
    "ES2021+",
    "augmented_assignment_expression",
    (node) => /^(?:\?\?|\|\||&&)=$/.test(node.childForFieldName("operator")?.text ?? "")
  ],
  ["ES2020+", "optional_chain"],
  ["ES2020+", "binary_expression", (node) => node.childForFieldName("operator")?.text === "??"]
]

const signs: { readonly [language: string]: ReadonlyArray<Sign> } = {
  python: [
    ["2", "print_statement"],
    ["3.12+", "type_alias_statement"],
    // The grammar calls the brackets of `list[int]` so too.
    ["3.12+", "type_parameter", (node) => /^(?:function|class)_definition$/.test(node.parent?.type ?? "")],
    ["3.11+", "except_clause", has("*")],
    ["3.10+", "match_statement"],
    ["3.8+", "named_expression"],
    ["3.8+", "positional_separator"],
    ["3.6+", "interpolation"]
  ],
  typescript: [["4.9+", "satisfies_expression"]],
  javascript: ecmaScript,
  go: [["1.18+", "type_parameter_list"]],
  java: [
    ["21+", "record_pattern"],
    ["16+", "record_declaration"],
    ["16+", "instanceof_expression", (node) => node.childForFieldName("name") !== null],
    ["15+", "string_literal", starts('"""')],
    ["14+", "switch_rule"],
    ["8+", "lambda_expression"]
  ],
  rust: [
    ["1.88+", "let_chain"],
    ["1.65+", "let_declaration", (node) => node.childForFieldName("alternative") !== null]
  ],
  ruby: [
    ["3.1+", "pair", (node) => node.childForFieldName("value") === null],
    ["3.0+", "method", has("=")],
    ["3.0+", "in_clause"]
  ]
}

/** Nodes of one type that are looked at. */
const most = 200

/** The least version that the syntax of a file needs; `null`: it needs none in particular, or has errors. */
export const languageVersionOf = (root: Node, language: string): string | null => {
  if (root.hasError || !Object.hasOwn(signs, language)) return null
  const found = root.descendantsOfType([...new Set(signs[language]!.map(([, type]) => type))])
  for (const [version, type, holds] of signs[language]!) {
    const nodes = found.filter((node): node is Node => node?.type === type).slice(0, most)
    if (nodes.some((node) => holds === undefined || holds(node))) return version
  }
  return null
}
