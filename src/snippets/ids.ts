import { Effect } from "effect"
import { strippingAnnotations } from "#domain/functions/annotate.ts"
import { keyedDigesting, keyedId } from "#domain/Id.ts"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import { jsonPieces, stretches } from "#engine/jsonPieces.ts"
import { inSteps } from "#engine/pages.ts"

/** An upload's code: a source, or all files of a repository. */
interface Code {
  readonly source: string
  readonly files?: ReadonlyArray<RepositoryFile>
}

/**
 * What makes code the same code, in pieces. A repository's list of files begins with a NUL, so it is never taken for a
 * source.
 */
function* identityOf({ source, files }: Code): Generator<string> {
  if (files === undefined) return yield* stretches(source)
  yield "\u0000"
  yield* jsonPieces(files.map(({ path, content }) => [path, content]).sort(([a], [b]) => (a! < b! ? -1 : 1)))
}

/** Digest of code: the same for the same code, whatever else is said of it. */
export const digestOf = (secret: string, given: Code) => inSteps(keyedDigesting(secret, identityOf(given)))

/** How many generations of a snippet are looked at: each time code is deleted and stored again, one more begins. */
const generations = 8

/** The ids that code with this digest may have in its home: one per generation. */
export const idsOf = (secret: string, home: string, digest: string) =>
  Effect.sync(() => Array.from({ length: generations }, (_, n) => keyedId(secret, "snippet", home, digest, n)))

/** The ids that this code may have in its home, whatever became of them: one per generation, eight in all. */
export const snippetIds = Effect.fnUntraced(function* (secret: string, given: Code & { readonly home: string }) {
  const source = yield* inSteps(strippingAnnotations(given.source))
  const digest = yield* digestOf(secret, { ...given, source })
  return yield* idsOf(secret, given.home, digest)
})
