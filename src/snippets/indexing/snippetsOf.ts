import { profileOf } from "#domain/search/embeddings/Profile.ts"
import { meaningsOf } from "#domain/search/embeddings/vector.ts"
import type { Steps } from "#engine/steps.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import type { CatalogueChanges } from "#projections/Snippets/changes.ts"

/** Rows that are read in one step: a millisecond's work. */
const stretch = 50

/** The catalogue's rows as an index takes them. */
export function* snippetsOf(rows: CatalogueChanges["put"]): Steps<ReadonlyArray<IndexedSnippet>> {
  const snippets: Array<IndexedSnippet> = []
  for (let from = 0; from < rows.length; from += stretch) {
    const some = rows.slice(from, from + stretch)
    const meanings = meaningsOf(some.map(({ vector, task_vector }) => [vector, task_vector]))
    for (const [place, row] of some.entries()) {
      const {
        published,
        human_up,
        changed: _at,
        left_out: _why,
        vector: _,
        task_vector: _tasks,
        profile,
        ...rest
      } = row
      snippets.push({
        ...rest,
        isPublic: published,
        humanUp: human_up,
        vector: meanings[place]!,
        profile: profileOf(profile)
      })
    }
    yield
  }
  return snippets
}
