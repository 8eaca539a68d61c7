import type { Node } from "web-tree-sitter"
import type { Declaration } from "./declarations.ts"

/** Characters that are kept of a description. */
const longest = 500

const isComment = (node: Node): boolean => /comment/.test(node.type)

/** Comments that say nothing of what the code does. */
const formal =
  /copyright|licen[cs]e|spdx-|all rights reserved|coding[:=]|eslint|prettier|biome-|@ts-|@flow|mypy:|pylint|noqa|^!|vim:|-\*-|use strict|^\s*<reference/i

/** Where the sections of a docstring begin: parameters, results, examples. */
const section =
  /^(?:args?|arguments|parameters|params|returns?|yields?|raises|throws|examples?|usage|notes?|see also)\s*:?\s*$|^(?:args|arguments|parameters|returns?|raises|example|examples)\s*:|^[-=]{3,}$|^[@:\\](?:param|returns?|throws|type|rtype|raises|arg|example|brief\b)|^>>>/i

/** The first paragraph of a comment's or docstring's text, on one line, at most 500 characters. */
export const firstParagraph = (text: string): string => {
  const lines: Array<string> = []
  for (const line of text.split(/\r\n|[\n\r]/).map((line) => line.trim())) {
    if (line === "" && lines.length === 0) continue
    if (line === "" || section.test(line) || /^@\w+/.test(line)) break
    lines.push(line)
  }
  const paragraph = lines.join(" ").replace(/\s+/g, " ").trim()
  return paragraph.length <= longest ? paragraph : `${paragraph.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`
}

/** Everything that a declaration's docstring or comment says, without its marks. */
export const documentationOf = (declaration: Declaration, language: string): string => {
  const said = language === "python" ? docstring(declaration.node.childForFieldName("body")) : ""
  return said === "" ? commentAbove(declaration) : said
}

/** A comment's text without its marks. */
const commentText = (text: string): string =>
  text
    .replace(/^\/\*+!?/, "")
    .replace(/\*+\/\s*$/, "")
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

/** The first comment of a text that says something, of a file in any language. */
export const leadingComment = (source: string): string => {
  const head = source
    .slice(0, 10_000)
    .replace(/^\ufeff?#!.*\n/, "")
    .replace(/^<\?php\s*/, "")
  const blocks = /^(?:\s*(?:\/\*[\s\S]*?\*\/|(?:(?:\/\/|#(?!include)|--\s).*(?:\n|$))+))+/.exec(head)?.[0] ?? ""
  for (const block of blocks.match(/\/\*[\s\S]*?\*\/|(?:[ \t]*(?:\/\/|#|--\s).*(?:\n|$))+/g) ?? []) {
    const text = firstParagraph(commentText(block))
    if (text !== "" && !formal.test(block)) return text
  }
  return ""
}

/** What a file says of itself: its docstring, else the entrypoint's docstring or comment, else the file's first comment. */
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
