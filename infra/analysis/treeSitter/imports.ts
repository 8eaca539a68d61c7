import type { Node } from "web-tree-sitter"

/** Imports that are looked at in one file. */
const most = 200

const importTypes: { readonly [language: string]: ReadonlyArray<string> } = {
  python: ["import_statement", "import_from_statement"],
  typescript: ["import_statement", "export_statement", "call_expression"],
  javascript: ["import_statement", "export_statement", "call_expression"],
  go: ["import_spec"],
  java: ["import_declaration"],
  rust: ["use_declaration", "extern_crate_declaration"],
  ruby: ["call"]
}

const unquoted = (text: string): string => /^["'`]([^"'`\\]*)["'`]$/.exec(text)?.[1] ?? ""

const pythonModules = (node: Node): ReadonlyArray<string> => {
  const from = node.childForFieldName("module_name")
  if (from !== null) return from.type === "dotted_name" ? [from.text] : []
  return node.childrenForFieldName("name").map((name) => name?.childForFieldName("name")?.text ?? name?.text ?? "")
}

const called = (node: Node, functions: RegExp): string => {
  const name = node.childForFieldName("function") ?? node.childForFieldName("method")
  if (name === null || !functions.test(name.text.slice(0, 30))) return ""
  return unquoted(node.childForFieldName("arguments")?.namedChild(0)?.text ?? "")
}

const modulesIn = (node: Node): ReadonlyArray<string> => {
  switch (node.type) {
    case "import_statement":
    case "export_statement":
    case "import_from_statement": {
      const source = node.childForFieldName("source")
      return source === null ? pythonModules(node) : [unquoted(source.text)]
    }
    case "call_expression":
      return [called(node, /^(?:require|import)$/)]
    case "call":
      return [called(node, /^require$/)]
    case "import_spec":
      return [unquoted(node.childForFieldName("path")?.text ?? "")]
    case "import_declaration":
      return [node.namedChild(0)?.text ?? ""]
    default:
      return [/^(?:pub(?:\([^)]*\))?\s+)?(?:use|extern\s+crate)\s+(?:::)?([\w:]+)/.exec(node.text)?.[1] ?? ""]
  }
}

/**
 * The modules that a file imports, as it names them, in order, each once: `urllib.request`, `node:fs`, `net/http`,
 * `std::fs`.
 */
export const modulesOf = (root: Node, language: string): ReadonlyArray<string> => {
  const types = Object.hasOwn(importTypes, language) ? importTypes[language]! : []
  if (types.length === 0) return []
  const modules = new Set<string>()
  for (const node of root.descendantsOfType([...types])) {
    if (modules.size >= most) break
    for (const name of node === null || (node.type === "export_statement" && node.childForFieldName("source") === null)
      ? []
      : modulesIn(node))
      if (name !== "" && name.length <= 100 && !/^[./]/.test(name)) modules.add(name)
  }
  return [...modules]
}

/** Packages that say nothing of what a file is about. */
const silent = new Set(
  `typing typing_extensions __future__ dataclasses abc sys os builtins crate self super std core alloc fmt errors java.lang
   java.util util`.split(/\s+/)
)

const packageOf = (module: string, language: string): string => {
  switch (language) {
    case "python":
      return module.split(".", 1)[0]!
    case "go":
      return module
        .replace(/\/v\d+$/, "")
        .split("/")
        .at(-1)!
    case "java": {
      const parts = module.split(".").filter((part) => /^[a-z]/.test(part))
      return parts.slice(0, /^javax?$/.test(parts[0] ?? "") ? 2 : 3).join(".")
    }
    case "rust":
      return module.split("::", 1)[0]!
    case "ruby":
      return module.split("/", 1)[0]!
    default: {
      const name = module.replace(/^(?:node|npm|jsr):/, "")
      return /^(?:@[^/]+\/)?[^/@]+/.exec(name)?.[0] ?? name
    }
  }
}

/** The packages that modules belong to, at most `count`, without the file's own language. */
export const packagesOf = (modules: ReadonlyArray<string>, language: string, count: number): ReadonlyArray<string> =>
  [...new Set(modules.map((module) => packageOf(module, language)))]
    .filter((name) => name !== "" && name !== language && !silent.has(name))
    .slice(0, count)
