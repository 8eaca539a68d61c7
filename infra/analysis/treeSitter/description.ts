import type { Node } from "web-tree-sitter"
import { beginningOf } from "#domain/text/beginningOf.ts"
import { withoutEnd } from "#domain/text/withoutEnd.ts"
import type { Declaration } from "./declarations.ts"

/** Characters that are kept of a description. */
const longest = 500

const isComment = (node: Node): boolean => /comment/.test(node.type)

/** Comments that say nothing of what the code does. */
const formal =
  /copyright|licen[cs]e|spdx-|all rights reserved|coding[:=]|eslint|prettier|biome-|@ts-|@flow|mypy:|pylint|noqa|^!|vim:|-\*-|use strict|^\s*<reference/i

/** Where the sections of a docstring begin: parameters, results, examples. Lines have one blank for many. */
const section =
  /^(?:args?|arguments|parameters|params|returns?|yields?|raises|throws|examples?|usage|notes?|see also) ?:?$|^(?:args|arguments|parameters|returns?|raises|example|examples) ?:|^[-=]{3,}$|^[@:\\](?:param|returns?|throws|type|rtype|raises|arg|example|brief\b)|^>>>/i

const plain = (line: string): string => line.trim().replace(/\s+/g, " ")

/** The first paragraph of a comment's or docstring's text, on one line, at most 500 characters. */
const firstParagraph = (text: string): string => {
  const lines: Array<string> = []
  for (const line of text.split(/\r\n|[\n\r]/).map(plain)) {
    if (line === "" && lines.length === 0) continue
    if (line === "" || section.test(line) || /^@\w+/.test(line)) break
    lines.push(line)
  }
  const paragraph = lines.join(" ")
  return paragraph.length <= longest ? paragraph : `${beginningOf(paragraph, longest - 1)}…`
}

/** Everything that a declaration's docstring or comment says, without its marks. */
export const documentationOf = (declaration: Declaration, language: string): string => {
  const said = language === "python" ? docstring(declaration.node.childForFieldName("body")) : ""
  return said === "" ? commentAbove(declaration) : said
}

/** Without the stars and the slash that end a comment. */
const withoutClosing = (text: string): string => {
  const whole = text.trimEnd()
  return whole.endsWith("*/") ? withoutEnd(whole.slice(0, -1), "*") : text
}

/** A comment's text without its marks. */
const commentText = (text: string): string =>
  withoutClosing(text.replace(/^\/\*+!?/, ""))
    .replace(/<\/?summary>/g, "")
    .replace(/^[ \t]*(?:\/\/[/!]?|#+(?!!)|\*(?!\/)|--)[ \t]?/gm, "")

/** A Python docstring: the string that stands first in a block. */
const docstring = (block: Node | null): string => {
  const first = block?.namedChildren.find((child) => child !== null && !isComment(child)) ?? null
  const string = first?.type === "expression_statement" ? first.namedChild(0) : first
  if (string?.type !== "string") return ""
  return string.text.replace(/^[a-zA-Z]*(?:"""|'''|["'])/, "").replace(/(?:"""|'''|["'])$/, "")
}

/** The comments right above a declaration, those on neighbouring lines together. */
const commentAbove = ({ outer, leading }: Declaration): string => {
  const texts: Array<string> = []
  let below = outer
  for (const part of leading.toReversed()) {
    // Some grammars count a line comment's end as the start of the next line.
    if (part.text.startsWith("#!") || below.startPosition.row - part.endPosition.row > 1) break
    if (isComment(part)) texts.unshift(part.text)
    below = part
  }
  return texts.map(commentText).join("\n")
}

const blank = /\s*/y
const lineComment = /(?:\/\/|#(?!include)|--\s).*(?:\n|$)/y

/** The comments that a text begins with: block comments, and line comments, of which adjacent lines are one comment. */
const commentsAt = (head: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  /** Where the last line comment ended. */
  let behind = -1
  for (let at = 0; at < head.length; ) {
    blank.lastIndex = at
    const indent = blank.exec(head)![0]
    const from = at + indent.length
    if (head.startsWith("/*", from)) {
      const end = head.indexOf("*/", from + 2)
      if (end < 0) break
      at = end + 2
      found.push(head.slice(from, at))
      continue
    }
    lineComment.lastIndex = from
    const line = lineComment.exec(head)?.[0]
    if (line === undefined) break
    const isNext = at === behind && !indent.includes("\n")
    if (isNext) found.push(`${found.pop()!}${indent}${line}`)
    else found.push(line)
    at = from + line.length
    behind = at
  }
  return found
}

/** The first comment of a source that says something, in any language. */
export const leadingComment = (source: string): string => {
  const head = beginningOf(source, 10_000)
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/^\ufeff?#!.*\n/, "")
    .replace(/^<\?php\s*/, "")
  for (const block of commentsAt(head)) {
    const text = firstParagraph(commentText(block))
    if (text !== "" && !formal.test(block)) return text
  }
  return ""
}

/**
 * What a file says of itself: its docstring, else the entrypoint's docstring or comment, else the file's first comment.
 */
export const descriptionOf = (
  root: Node,
  language: string,
  entrypoint: Declaration | undefined,
  source: string
): string => {
  const python = language === "python"
  const texts = [
    python ? docstring(root) : "",
    python && entrypoint !== undefined ? docstring(entrypoint.node.childForFieldName("body")) : "",
    entrypoint === undefined ? "" : commentAbove(entrypoint)
  ]
  const said = texts.map(firstParagraph).find((text) => text !== "" && !formal.test(text))
  return said ?? leadingComment(source)
}
