import { withoutEnd } from "../text/withoutEnd.ts"

/** Lines of code from which on an implementation counts as complete. */
const enough = 20

/** Characters of a source that are looked at: it has enough lines long before that. */
const looked = 100_000

/**
 * Comments and docstrings of the common languages; one that isn't closed goes to the end. String contents may be hit
 * too: it is a measure, not a parser.
 */
const comments =
  /("""|''')[\s\S]*?(?:\1|(?![\s\S]))|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|^[ \t]*(?:#(?!include)|\/\/|--\s).*$|[ \t](?:#|\/\/)\s.*$/gm

const modifiers = String.raw`(?:export\s+|default\s+|pub(?:lic)?(?:\([^)]*\))?\s+|private\s+|protected\s+|static\s+|async\s+|abstract\s+)*`
/** What may stand around a stub: imports, headers of functions and classes, decorators, brackets. */
const frames: ReadonlyArray<RegExp> = [
  /^(?:import\b|from\s.*\bimport\b|use\s|using\s|package\s|require\b|#include|@\w)/,
  /^(?:[\s{}()[\];,]*|end|["']use strict["'];?)$/,
  new RegExp(
    String.raw`^${modifiers}(?:class|def|function\*?|fn|func|interface|impl|trait|module|struct|enum)\b.*(?:[:{(,)>]|\bend)$`
  ),
  /^(?:export\s+)?(?:const|let|var)\s.*=>\s*[{(]$/,
  /^(?:def|class|module)\s[^:]*$/
]

/** Bodies that only say that there is none. */
const stubs: ReadonlyArray<RegExp> = [
  /^(?:todo|fixme)\b/i,
  /^(?:pass|\.\.\.)[;})\s]*$/i,
  /^unimplemented!\(/i,
  /^raise\s+NotImplementedError\b/i
]
/** The same in words, with what may stand before and behind it. */
const unimplemented = /not[\s_-]?(?:yet[\s_-]?)?implemented/i
const before = /^(?:raise|throw|panic|error|return|new|Err|\s|\(|["'`])*/i
const around = 40

const isStub = (line: string): boolean => {
  if (stubs.some((stub) => stub.test(line))) return true
  const said = unimplemented.exec(line)
  if (said === null) return false
  const head = line.slice(0, said.index).replace(before, "")
  const tail = withoutEnd(line.slice(said.index + said[0].length), ";}) \t")
  return head.length <= around && tail.length <= around
}

/** A stub on the line of its header: `def f(): pass`, `function f() {}`. */
const stubInLine = /(?::\s*(?:pass|\.\.\.)|\{\s*\})\s*;?$/

/**
 * How complete an implementation looks, 0…1: 0 if it holds nothing but stubs (`pass`, `...`, TODO, "not implemented"),
 * else its lines of code (no comments, docstrings or blank lines) divided by 20, at most 1. Works on text, in any
 * language.
 */
export const completeness = (source: string): number => {
  const lines = source
    .slice(0, looked)
    .replace(comments, "")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const says = (line: string) => !frames.some((frame) => frame.test(line)) && !isStub(line) && !stubInLine.test(line)
  return lines.some(says) ? Math.min(1, lines.length / enough) : 0
}
