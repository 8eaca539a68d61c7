/** Lines of code from which on an implementation counts as complete. */
const enough = 20

/** Longest source that is looked at, in characters: it has enough lines long before. */
const looked = 100_000

/**
 * Comments and docstrings of the common languages; one that isn't closed goes to the end. String contents may be hit too: it
 * is a measure, not a parser.
 */
const comments =
  /("""|''')[\s\S]*?(?:\1|(?![\s\S]))|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|^[ \t]*(?:#(?!include)|\/\/|--\s).*$|[ \t](?:#|\/\/)\s.*$/gm

/** What may stand around a stub: imports, headers of functions and classes, decorators, brackets. */
const frame =
  /^(?:import\b|from\s.*\bimport\b|use\s|using\s|package\s|require\b|#include|@\w|[\s{}()[\];,]*$|end$|["']use strict["'];?$|(?:export\s+|default\s+|pub(?:lic)?(?:\([^)]*\))?\s+|private\s+|protected\s+|static\s+|async\s+|abstract\s+)*(?:class|def|function\*?|fn|func|interface|impl|trait|module|struct|enum)\b.*(?:[:{(,]|\)|=>|>|\bend)$|(?:export\s+)?(?:const|let|var)\s.*=>\s*[{(]$|(?:def|class|module)\s[^:]*$)/

/** A body that says only that there is none. */
const stub =
  /^(?:pass|\.\.\.|todo!?(?:\(.*\))?|todo\b.*|fixme\b.*|unimplemented!\(.*\)|(?:raise|throw|panic|error|return|new|Err|\s|\(|["'`])*\(?.{0,40}not[\s_-]?(?:yet[\s_-]?)?implemented.{0,40}|raise\s+NotImplementedError\b.*)[;})\s]*$/i

/** A stub behind the header on one line: `def f(): pass`, `function f() {}`. */
const stubInLine = /(?::\s*(?:pass|\.\.\.)|\{\s*\})\s*;?$/

/**
 * How complete an implementation looks, 0…1: 0 when nothing stands in it but stubs (`pass`, `...`, TODO, "not implemented"),
 * else its lines of code, without comments, docstrings and blank lines, over 20. Works on text, in any language.
 */
export const completeness = (source: string): number => {
  const lines = source
    .slice(0, looked)
    .replace(comments, "")
    .split(/\r\n|[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const says = (line: string) => !frame.test(line) && !stub.test(line) && !stubInLine.test(line)
  return lines.some(says) ? Math.min(1, lines.length / enough) : 0
}
