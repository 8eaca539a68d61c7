import { describedIn, languages, misspelt, queries } from "#test/evaluation.ts"
import type { QuerySet, Shelf } from "./sets.ts"

/** Where what is described in a language lies. */
const homeOf = (language: string) => `in ${language}`

/**
 * Tasks in other languages, of snippets that are described in them, and tasks that are misspelt; all among mbpp. What
 * was meant by the latter is asked, too: it says what mending could give at the most.
 */
export const makeLanguageSets = (): {
  readonly shelves: ReadonlyArray<Shelf>
  readonly sets: ReadonlyArray<QuerySet>
} => {
  const asked = misspelt()
  const english = { source: "languages", homes: ["mbpp", "agent30"] }
  return {
    shelves: languages.map((language) => ({ home: homeOf(language), documents: describedIn(language) })),
    sets: [
      ...languages.map((language) => ({
        name: language,
        source: "languages",
        homes: [homeOf(language), "mbpp"],
        queries: queries(language)
      })),
      { name: "misspelt", ...english, queries: asked },
      { name: "misspelt, as meant", ...english, queries: asked.map((query) => ({ ...query, text: query.meant })) }
    ]
  }
}
