import type { Explanation } from "#domain/search/explanation.ts"
import type { SearchMatch } from "#src/api/Snippets/search.ts"

/** Why a match has its score, as the API tells it. Leaves out the tasks of somebody else's snippet. */
export const shownExplanation = (of: Explanation, own: boolean): NonNullable<SearchMatch["explanation"]> => {
  const seen = <A extends { readonly place: string }>(all: ReadonlyArray<A>) =>
    own ? all : all.filter(({ place }) => place !== "tasks")
  return {
    probability: of.probability,
    word_share: of.wordShare,
    words: seen(of.words),
    meaning_by: of.meaningBy,
    cosine: of.cosine,
    nearest: seen(of.nearest),
    verdict: of.verdict,
    completeness: of.completeness,
    learned: of.learned,
    hub: of.hub,
    length: of.length
  }
}
