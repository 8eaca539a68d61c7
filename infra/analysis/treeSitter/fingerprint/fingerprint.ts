import { createHash } from "node:crypto"
import type { Node } from "web-tree-sitter"
import { normalised } from "./normalise.ts"
import { rules } from "./rules.ts"
import { syntaxOf } from "./Syntax.ts"
import { tokensOf } from "./tokens.ts"

/**
 * Raised when a change of these files gives the same function another fingerprint: every reputation then starts anew.
 */
const version = "1"

const digest = (language: string, tokens: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const token of [version, language, ...tokens]) hash.update(`${token.length}:${token}`)
  return `fn_${hash.digest("hex")}`
}

const oneSpaced = (text: string): string => text.replace(/\s+/g, " ").trim()

/**
 * The fingerprint of a text, whatever its blanks and line ends: a whole file, or a function that is too large to be
 * taken apart.
 */
export const textFingerprint = (language: string, name: string, text: string): string =>
  digest(language, ["text", name, oneSpaced(text)])

/** Whether functions of a language are told apart by what they say. */
export const isUnderstood = (language: string): boolean => Object.hasOwn(rules, language)

/**
 * The fingerprint of a function: of its language, its name, what stands before it (decorators, attributes) and its
 * tokens, with the names that it declares itself as numbers.
 */
export const fingerprintOf = (
  language: string,
  name: string,
  node: Node,
  before: ReadonlyArray<Node>,
  source: string
): string => {
  const whole = syntaxOf(node, source)
  const spoken = Object.hasOwn(rules, language) ? rules[language] : undefined
  if (whole === undefined || spoken === undefined) return textFingerprint(language, name, node.text)
  // Its own name counts once, as its callers write it; in a nested or recursive call it stays as it is.
  const nameless = { ...whole, field: null, children: whole.children.filter(({ field }) => field !== "name") }
  const decorated = before.flatMap((one) => {
    const syntax = syntaxOf(one, source)
    return syntax === undefined ? [] : tokensOf(normalised(syntax, language), language, spoken)
  })
  const tokens = tokensOf(normalised(nameless, language), language, spoken)
  return digest(language, ["tokens", name, String(decorated.length), ...decorated, ...tokens])
}
