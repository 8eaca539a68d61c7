import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { Language, Parser, type Tree } from "web-tree-sitter"

/** Characters; longer sources are not parsed. */
const longest = 1 << 20
/**
 * Steps (calls of the parser's progress callback, some 75 a millisecond) after which a parse is given up: about 600 KB
 * of code. Counted and not timed, so that a busy machine reads a file as an idle one does.
 */
const patience = 20_000

const { resolve } = createRequire(import.meta.url)

// All of this exists once a process: two inits at once would load two modules, whose parsers and languages don't fit
// together. Parsing is synchronous, so one parser is enough.
let initialized: Promise<void> | undefined
let parser: Parser | undefined
const languages = new Map<string, Language>()
const loading = new Map<string, Promise<boolean>>()

const fetch = async (grammar: string): Promise<boolean> => {
  try {
    await (initialized ??= Parser.init())
    parser ??= new Parser()
    const file = resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)
    languages.set(grammar, await Language.load(new Uint8Array(await readFile(file))))
    return true
  } catch {
    return false
  }
}

/** Makes a grammar ready; false when it can't be loaded. */
export const load = (grammar: string): Promise<boolean> => {
  const known = loading.get(grammar) ?? fetch(grammar)
  loading.set(grammar, known)
  return known
}

/**
 * Parses with a loaded grammar and frees the tree after use; `undefined`: the source is too much for it. After an error
 * from the grammar's own code (out of memory, too deep), the grammar can't go on: the process must be ended.
 */
export const withTree = <A>(grammar: string, source: string, use: (tree: Tree) => A): A | undefined => {
  const language = languages.get(grammar)
  if (language === undefined || parser === undefined || source.length > longest) return undefined
  let steps = 0
  parser.setLanguage(language)
  const tree = parser.parse(source, null, { progressCallback: () => ++steps > patience })
  if (tree === null) {
    // A parser that gave up would go on with that text at its next call.
    parser.reset()
    return undefined
  }
  try {
    return use(tree)
  } finally {
    tree.delete()
  }
}
