import { Effect, Layer } from "effect"
import { type Analysis, SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { analyseText, analyseTree } from "./analyse.ts"
import { type Grammars, makeGrammars } from "./Grammars.ts"
import { grammarOf, languageOfPath, languageOfShebang, likelyLanguages } from "./languages.ts"

const parsed = (grammars: Grammars, language: string, path: string, source: string, onlyClean: boolean) =>
  Effect.gen(function* () {
    const grammar = grammarOf(language, path)
    if (grammar === undefined || !(yield* grammars.load(grammar))) return undefined
    return grammars.withTree(grammar, source, ({ rootNode }) =>
      onlyClean && rootNode.hasError ? undefined : analyseTree(rootNode, language, path, source)
    )
  })

const analyse = (grammars: Grammars, path: string, source: string): Effect.Effect<Analysis> =>
  Effect.gen(function* () {
    const said = languageOfPath(path) ?? languageOfShebang(source)
    if (said !== undefined) {
      return (yield* parsed(grammars, said, path, source, false)) ?? analyseText(said, path, source)
    }
    for (const language of likelyLanguages(source)) {
      const analysis = yield* parsed(grammars, language, path, source, true)
      if (analysis !== undefined) return analysis
    }
    return analyseText("text", path, source)
  })

/** Source analysis by tree-sitter grammars, which are loaded when the first file of their language comes. */
export const layer = Layer.effect(
  SourceAnalysis,
  Effect.map(makeGrammars, (grammars) =>
    SourceAnalysis.of({ analyse: (path, source) => analyse(grammars, path, source) })
  )
)
