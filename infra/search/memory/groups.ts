import type { QueryPlan, WeightedTerm } from "#domain/search/query.ts"

/** A term with its alternatives, as it occurs in one or several texts. */
export interface Group {
  readonly alternatives: ReadonlyArray<WeightedTerm>
  /** The numbers of these texts. */
  readonly texts: ReadonlyArray<number>
}

/** A task's terms, each once, in order of occurrence. */
export const groupsOf = ({ texts }: QueryPlan): ReadonlyArray<Group> => {
  const groups = new Map<
    string,
    { readonly alternatives: ReadonlyArray<WeightedTerm>; readonly texts: Array<number> }
  >()
  for (const [text, terms] of texts.entries()) {
    for (const alternatives of terms) {
      // a word, and another that no snippet has, can have the same alternatives with other weights
      const name = alternatives.map(({ term, weight }) => `${term}:${weight}`).join(" ")
      const known = groups.get(name)
      if (known === undefined) groups.set(name, { alternatives, texts: [text] })
      else known.texts.push(text)
    }
  }
  return [...groups.values()]
}
