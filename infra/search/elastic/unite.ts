import { Effect, Queue } from "effect"
import { type Engine, patience } from "./Engine.ts"
import { allDid, type Copies } from "./refreshed.ts"

interface Stats {
  readonly _all?: { readonly primaries?: { readonly docs?: { readonly count: number } } }
}

/** Merges once this share of all documents, and at least this many, are new: less is merged by itself. */
const share = 0.1
const least = 2_000
/** After nothing was written for this long, the filling is done for now. */
const quiet = "5 seconds"

/**
 * Merges an index that has been filled into one segment, in the background: vectors are searched in each segment by
 * itself, which takes twice as long in six. Answers with a function to be told how many documents were written.
 */
export const makeUnite = Effect.fnUntraced(function* ({ ask }: Engine, alias: string) {
  const wanted = yield* Queue.sliding<void>(1)
  const all = `${alias}-v*`
  let written = 0
  const unite = Effect.gen(function* () {
    let before: number | undefined
    while (before !== written) {
      before = written
      yield* Effect.sleep(quiet)
    }
    if (written < least) return
    const { body } = yield* ask<Stats>({ method: "GET", path: `/${all}/_stats/docs`, within: patience.search })
    if (written < share * (body._all?.primaries?.docs?.count ?? 0)) return
    const some = written
    const query = { max_num_segments: "1" }
    const { body: merged } = yield* ask<Copies>({
      method: "POST",
      path: `/${all}/_forcemerge`,
      query,
      within: patience.merge
    })
    // what was written meanwhile is new yet, and so is all of it where a copy was away
    if (allDid(merged)) written -= some
  })
  // if it fails, it is tried again when more is written: until then, searches only take longer
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(wanted), Effect.ignore(unite))))
  return (documents: number) => {
    written += documents
    Queue.offerUnsafe(wanted, undefined)
  }
})
