import { type Binder, boundIn, type Rules } from "./rules.ts"
import { Scope } from "./Scope.ts"
import type { Syntax } from "./Syntax.ts"

/** Scopes that see nothing of what is around them. */
const closed = /^(?:method|singleton_method|class|module|singleton_class)$/

/** Inside a Rust macro's text, `{name:width$}` names locals. */
const rustFormat = (text: string, resolve: (name: string) => string): string =>
  text.replace(/\{\{|\{([^{}]*)\}/g, (whole, inside: string | undefined) =>
    inside === undefined ? whole : `{${inside.replace(/^[A-Za-z_]\w*|(?<!\w)[A-Za-z_]\w*(?=\$)/g, resolve)}}`
  )

/**
 * The tokens of a function, with marks where parts begin and end. Names that it declares itself become numbers, in
 * order of their appearance; all other words stay as they are.
 */
export const tokensOf = (root: Syntax, language: string, rules: Rules): ReadonlyArray<string> => {
  const tokens: Array<string> = []
  let count = 0

  const resolved = (name: string, scope: Scope): string => {
    const binding = scope.find(name)
    if (binding === undefined) return `i${name}`
    return `l${(binding.id ??= count++)}`
  }

  const opened = (node: Syntax, scope: Scope, parent: Syntax | undefined): Scope => {
    const { type } = node
    if (!rules.scopes.has(type)) return scope
    // Go declares a function's parameters and its body's names in one block.
    if (language === "go" && type === "block" && parent !== undefined && /^func/.test(parent.type)) return scope
    if (language === "go" && type === "block" && parent?.type === "method_declaration") return scope
    if (language === "ruby" && closed.test(type)) return new Scope(undefined)
    let around: Scope | undefined = scope
    if (language === "python") while (around?.isClass === true) around = around.parent
    const inner = new Scope(around, type === "class_definition")
    rules.declare?.(node, inner)
    return inner
  }

  const bind = (pattern: Syntax, scope: Scope, binder: Syntax, parent: Syntax | undefined): void => {
    const isParameter = /parameter/.test(binder.type)
    const seen = new Set<string>()
    boundIn(pattern, (name) => {
      // In Rust's patterns a word in capitals is a constant or a variant.
      if (seen.has(name) || (language === "rust" && /^\p{Lu}/u.test(name))) return
      seen.add(name)
      if (parent?.type === "field_declaration") scope.names.set(name, null)
      else if (rules.isNew === "always" || isParameter) scope.bind(name)
      else if (rules.isNew === "in-scope" ? !scope.names.has(name) : scope.find(name) === undefined) scope.bind(name)
    })
  }

  /** The scope in which a part of a node is read. */
  const scopeFor = (child: Syntax, node: Syntax, scope: Scope): Scope => {
    if (language !== "python") return scope
    if (node.type === "first_for_in_clause") return child.field === "right" ? (scope.parent ?? scope) : scope
    const isDefault = /_parameter$/.test(node.type) && (child.field === "value" || child.field === "type")
    return isDefault ? (scope.parent ?? scope) : scope
  }

  const children = (node: Syntax, scope: Scope, inMacro: boolean, isMeant: (child: Syntax) => boolean): void => {
    for (const [at, child] of node.children.entries()) {
      if (!isMeant(child)) continue
      if (child.field !== null) tokens.push(`f${child.field}`)
      visit(child, scopeFor(child, node, scope), node, at, inMacro)
    }
  }

  const declaring = (
    node: Syntax,
    { names, first = [] }: Binder,
    scope: Scope,
    parent: Syntax | undefined,
    inMacro: boolean
  ) => {
    const isFirst = ({ field }: Syntax) => field !== null && first.includes(field)
    const isBound = (child: Syntax) =>
      !isFirst(child) && (names === "*" || (child.field !== null && names.includes(child.field)))
    children(node, scope, inMacro, isFirst)
    for (const child of node.children) if (isBound(child)) bind(child, scope, node, parent)
    children(node, scope, inMacro, isBound)
    children(node, scope, inMacro, (child) => !isFirst(child) && !isBound(child))
  }

  const visit = (node: Syntax, around: Scope, parent: Syntax | undefined, at: number, inMacro: boolean): void => {
    if (node.children.length === 0) {
      const { type, text, isNamed } = node
      if (type === "identifier" && !(parent !== undefined && rules.isName(node, parent, at))) {
        // What stands before the colon in Go may be a field's name as well as a variable.
        if (language === "go" && parent?.type === "literal_element" && parent.field === "key") tokens.push(`k${text}`)
        tokens.push(resolved(text, around))
      } else if (inMacro && type === "string_content") {
        tokens.push(`n${type} ${rustFormat(text, (name) => resolved(name, around))}`)
      } else tokens.push(isNamed ? `n${type} ${text}` : `a${text}`)
      return
    }
    const scope = opened(node, around, parent)
    const binder =
      rules.binders !== undefined && Object.hasOwn(rules.binders, node.type) ? rules.binders[node.type] : undefined
    const macro = inMacro || (language === "rust" && node.type === "token_tree")
    tokens.push(`(${node.type}`)
    const binds =
      binder !== undefined && (binder.token === undefined || node.children.some(({ text }) => text === binder.token))
    if (binds) declaring(node, binder, scope, parent, macro)
    else children(node, scope, macro, () => true)
    tokens.push(")")
  }

  visit(root, new Scope(undefined), undefined, 0, false)
  return tokens
}
