import { Effect } from "effect"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import { jsonInSteps } from "#engine/jsonInSteps.ts"
import { inSteps } from "#engine/pages.ts"
import { filesJson } from "#projections/Snippets/queries.ts"

/** The files of a repository, parsed in steps; `undefined`: there is no such snippet, or it is no repository. */
export const repositoryFiles = Effect.fnUntraced(function* (id: string) {
  const json = yield* filesJson(id)
  return json === undefined ? undefined : ((yield* inSteps(jsonInSteps(json))) as ReadonlyArray<RepositoryFile>)
})
