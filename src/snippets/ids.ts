import { Effect } from "effect"
import { strippingAnnotations } from "#domain/functions/annotate.ts"
import { keyedDigesting, keyedId } from "#domain/Id.ts"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import { jsonPieces, stretches } from "#engine/jsonPieces.ts"
import { inSteps } from "#engine/pages.ts"

/** Code, as an upload has it: a source, or all files of a repository. */
interface Code {
  readonly source: string
  readonly files?: ReadonlyArray<RepositoryFile>
}

/**
 * What makes code the same code, in pieces. No source reads like the list of a repository's files, whose first sign is
 * a NUL.
 */
function* identityOf({ source, files }: Code): Generator<string> {
  if (files === undefined) return yield* stretches(source)
  yield "\u0000"
  yield* jsonPieces(files.map(({ path, content }) => [path, content]).sort(([a], [b]) => (a! < b! ? -1 : 1)))
}

/** What names code, whatever else is said of it. */
export const digestOf = (secret: string, given: Code) => inSteps(keyedDigesting(secret, identityOf(given)))

/** Generations of a snippet that are looked at: so often the same code was deleted and stored again. */
const generations = 8

/** The ids that code of a digest may have in its home: one a generation. */
export const idsOf = (secret: string, home: string, digest: string) =>
  Effect.sync(() => Array.from({ length: generations }, (_, n) => keyedId(secret, "snippet", home, digest, n)))

/** The ids that this code may have in its home, whatever became of them: one a generation, eight in all. */
export const snippetIds = Effect.fnUntraced(function* (secret: string, given: Code & { readonly home: string }) {
  const source = yield* inSteps(strippingAnnotations(given.source))
  const digest = yield* digestOf(secret, { ...given, source })
  return yield* idsOf(secret, given.home, digest)
})
