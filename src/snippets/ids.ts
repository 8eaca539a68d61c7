import { Effect } from "effect"
import { strippingAnnotations } from "#domain/functions/annotate.ts"
import { keyedDigesting, keyedId } from "#domain/Id.ts"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import { jsonPieces, stretches } from "#engine/jsonPieces.ts"
import { inSteps } from "#engine/pages.ts"
import { deletedAmong } from "#projections/Snippets/queries.ts"

/** An upload's code: a source, or all files of a repository. */
interface Code {
  readonly source: string
  readonly files?: ReadonlyArray<RepositoryFile>
}

/** Code, and where it is stored. */
interface Placed extends Code {
  readonly home: string
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

/** The id of a generation of code with this digest in its home: one begins each time it is deleted and stored again. */
export const idOf = (secret: string, home: string, digest: string, generation: number): string =>
  keyedId(secret, "snippet", home, digest, generation)

/** How many generations are looked at together, at first. */
const least = 8

/**
 * The ids of all generations of code with this digest in its home that the catalogue knows to be deleted, and of at
 * least eight behind them: the next one may be there, and the catalogue may be a little behind.
 */
export const idsOf = Effect.fnUntraced(function* (secret: string, home: string, digest: string) {
  const ids: Array<string> = []
  for (;;) {
    const from = ids.length
    for (let more = Math.max(least, from); more > 0; more--) ids.push(idOf(secret, home, digest, ids.length))
    // a generation begins when the one before it is deleted
    if ((yield* deletedAmong(ids.slice(from))).length === 0) return ids
  }
})

const digestOfPlaced = Effect.fnUntraced(function* (secret: string, given: Placed) {
  const source = yield* inSteps(strippingAnnotations(given.source))
  return yield* digestOf(secret, { ...given, source })
})

/** The ids that this code may have in its home, whatever became of them: one per generation, the first one first. */
export const snippetIds = Effect.fnUntraced(function* (secret: string, given: Placed) {
  return yield* idsOf(secret, given.home, yield* digestOfPlaced(secret, given))
})

/** The id that this code has in its home where it was never deleted. */
export const firstId = (secret: string, given: Placed) =>
  Effect.map(digestOfPlaced(secret, given), (digest) => idOf(secret, given.home, digest, 0))
