import type { Analysis } from "#ports/SourceAnalysis.ts"
import { analyseText, analyseTree } from "./analyse.ts"
import { load, withTree } from "./Grammars.ts"
import { grammarOf, languageOfPath, languageOfShebang, likelyLanguages } from "./languages.ts"

const parsed = async (language: string, path: string, source: string, onlyClean: boolean) => {
  const grammar = grammarOf(language, path)
  if (grammar === undefined || !(await load(grammar))) return undefined
  return withTree(grammar, source, ({ rootNode }) =>
    onlyClean && rootNode.hasError ? undefined : analyseTree(rootNode, language, path, source)
  )
}

/** The language that the path or the first line names, else `undefined`. */
const saidLanguage = (path: string, source: string) => languageOfPath(path) ?? languageOfShebang(source)

/** The analysis of a source that would take too long, without a look at its syntax. */
export const analyseAsText = (path: string, source: string): Analysis =>
  analyseText(saidLanguage(path, source) ?? "text", path, source)

/** The analysis of a source. Loads a grammar when the first file of its language comes. */
export const analyse = async (path: string, source: string): Promise<Analysis> => {
  const said = saidLanguage(path, source)
  if (said !== undefined) return (await parsed(said, path, source, false)) ?? analyseText(said, path, source)
  for (const language of likelyLanguages(source)) {
    const analysis = await parsed(language, path, source, true)
    if (analysis !== undefined) return analysis
  }
  return analyseText("text", path, source)
}
