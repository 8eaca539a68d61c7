import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { Effect } from "effect"
import { Language, Parser, type Tree } from "web-tree-sitter"

/** Longer sources are not parsed; characters. */
const longest = 1 << 20
/**
 * Steps (calls of the parser's progress callback, some 75 a millisecond) after which a parse is given up, since it holds up
 * everything else: about 600 KB of code. Counted and not timed, so that a busy machine reads a file as an idle one does.
 */
const patience = 20_000

const { resolve } = createRequire(import.meta.url)

/** Grammars, each loaded when first needed, and one parser for all: parsing is synchronous. */
export interface Grammars {
  /** Makes a grammar ready; false when it can't be loaded. */
  readonly load: (grammar: string) => Effect.Effect<boolean>
  /** Parses with a loaded grammar and frees the tree after use; `undefined` when the source is too much for it. */
  readonly withTree: <A>(grammar: string, source: string, use: (tree: Tree) => A) => A | undefined
}

/** Once a process: two inits at once would load two modules, whose parsers and languages don't fit together. */
let initialized: Promise<void> | undefined

/** Holds the parser until the scope ends. */
export const makeGrammars = Effect.gen(function* () {
  const languages = new Map<string, Language>()
  const loading = new Map<string, Promise<boolean>>()
  let parser: Parser | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => parser?.delete()))

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

  const load = (grammar: string) =>
    Effect.promise(() => {
      const known = loading.get(grammar) ?? fetch(grammar)
      loading.set(grammar, known)
      return known
    })

  const withTree = <A>(grammar: string, source: string, use: (tree: Tree) => A): A | undefined => {
    const language = languages.get(grammar)
    if (language === undefined || parser === undefined || source.length > longest) return undefined
    let steps = 0
    let tree: Tree | null = null
    try {
      parser.setLanguage(language)
      tree = parser.parse(source, null, { progressCallback: () => ++steps > patience })
      // A parser that gave up would go on with that text at its next call.
      if (tree === null) parser.reset()
      return tree === null ? undefined : use(tree)
    } catch {
      // What the grammar's own code throws (out of memory, too deep) is a source that can't be parsed.
      parser.reset()
      return undefined
    } finally {
      tree?.delete()
    }
  }

  const grammars: Grammars = { load, withTree }
  return grammars
})
