import type { JsonObject } from "../../resources/codeBlocks.ts"

const opening = "([{"
const closing = ")]}"

/** Where a comment that begins at `at` ends, or `at` itself. */
const behindComment = (code: string, at: number): number => {
  const end = code.startsWith("//", at)
    ? code.indexOf("\n", at)
    : code.startsWith("/*", at)
      ? code.indexOf("*/", at) + 1
      : at
  return end < at ? code.length : end
}

/** The texts between the commas of a parameter list, which begins at `start`; without comments and texts. */
const listOf = (code: string, start: number): ReadonlyArray<string> => {
  const parts = [""]
  let depth = 0
  let quote = ""
  for (let at = start; at < code.length; at++) {
    const char = code[at]!
    if (quote !== "") {
      if (char === "\\") at++
      else if (char === quote) quote = ""
      continue
    }
    const behind = behindComment(code, at)
    if (behind > at) at = behind
    else if ("\"'`".includes(char)) quote = char
    else if (closing.includes(char) && depth-- === 0) break
    else if (char === "," && depth === 0) parts.push("")
    else {
      if (opening.includes(char)) depth++
      parts[parts.length - 1] += char
    }
  }
  return parts
}

/**
 * The parameters of a function, read off its code as well as can be: names to `string`, since JavaScript tells no
 * types.
 */
export const parametersOf = (code: string): JsonObject => {
  const single = /^(?:async\s+)?([\w$]+)\s*=>/.exec(code)
  const start = code.indexOf("(")
  const parts = single ? [single[1]!] : start < 0 ? [] : listOf(code, start + 1)
  // what is taken apart has no name of its own, and neither has a rest
  const names = parts.flatMap((part) => /^\s*([\w$]+)\s*(?:=|$)/.exec(part)?.[1] ?? [])
  return Object.fromEntries(names.map((name) => [name, "string"]))
}
