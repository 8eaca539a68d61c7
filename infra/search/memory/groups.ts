import type { QueryPlan, WeightedTerm } from "#domain/search/query.ts"

/** A term with its alternatives, as one or some of the texts have it. */
export interface Group {
  readonly alternatives: ReadonlyArray<WeightedTerm>
  /** The numbers of these texts. */
  readonly texts: ReadonlyArray<number>
}

/** A task's terms, each once, in the order in which they come. */
export const groupsOf = ({ texts }: QueryPlan): ReadonlyArray<Group> => {
  const groups = new Map<
    string,
    { readonly alternatives: ReadonlyArray<WeightedTerm>; readonly texts: Array<number> }
  >()
  for (const [text, terms] of texts.entries()) {
    for (const alternatives of terms) {
      // the same alternatives can be of a word and of one that no snippet has: then they weigh otherwise
      const name = alternatives.map(({ term, weight }) => `${term}:${weight}`).join(" ")
      const known = groups.get(name)
      if (known === undefined) groups.set(name, { alternatives, texts: [text] })
      else known.texts.push(text)
    }
  }
  return [...groups.values()]
}
